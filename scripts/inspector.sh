#!/usr/bin/env bash
# Checks the MCP server with the command line of MCP Inspector, from npm, over stdio and over HTTP.
# The Inspector is installed once into build/inspector, in the version named here.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly version=2.12.0
readonly folder=build/inspector
readonly cli=$folder/node_modules/.bin/mcp-inspector

if ! grep -qs "\"version\": \"$version\"" "$folder/node_modules/@modelcontextprotocol/inspector/package.json"; then
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-audit --no-fund --loglevel=error "@modelcontextprotocol/inspector@$version"
fi

expect() { # expect TEXT COMMAND...: run it, however it ends, and fail if its output has not the text
    local text=$1 output
    shift
    output=$("$@" 2>/dev/null || true)
    if [[ $output != *"$text"* ]]; then
        printf 'not in the output of %s: %s\n%s\n' "$*" "$text" "$output" >&2
        return 1
    fi
    printf 'ok: %s\n' "$text"
}

expect '"app_launch"' "$cli" --cli .venv/bin/deskhand mcp --method tools/list
expect '"apps"' "$cli" --cli .venv/bin/deskhand mcp --method tools/call --tool-name app_list

readonly token=inspector
ready=$(mktemp)
.venv/bin/deskhand run --headless --mcp 0 --token "$token" -- .venv/bin/python demo/qt_form.py >"$ready" &
app=$!
trap 'kill "$app" 2>/dev/null; wait "$app" 2>/dev/null; rm -f "$ready"' EXIT
until grep -qx ready "$ready"; do
    kill -0 "$app"
    sleep 0.1
done
url=$(sed -n 's/^ready mcp //p' "$ready")
http() { "$cli" --cli "$url" --transport http --header "Authorization: Bearer $token" "$@"; }

expect '"ui_perform"' http --method tools/list
expect '"fill_form"' http --method prompts/list
expect 'Order form' http --method tools/call --tool-name ui_get_snapshot
expect '"QLineEdit"' http --method tools/call --tool-name ui_query --tool-arg 'selector={"css":"#name"}'
expect 'MCP_UI_NODE_NOT_FOUND' http --method tools/call --tool-name ui_get_node --tool-arg 'ref="u-none"'
