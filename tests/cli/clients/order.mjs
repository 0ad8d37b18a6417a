// Completes the same task in one app after the other with webdriver.io, unmodified.
// Arguments: the path of webdriverio, the server's URL, and a JSON list of [kind, command, file].

const [library, url, apps] = process.argv.slice(2);
const { remote } = await import(library);
const { hostname, port } = new URL(url);
const WAIT = 60000;

async function order(browser) {
  await browser.$('[name="Name"]').setValue("Eve");
  await browser.$("checkbox").click();
  await browser.$('//radio[@name="Courier"]').click();
  await browser.$('[name="Load later"]').click();
  await browser.$('[name="Send"]').click();
  await browser.$('button[name^="Place order"]').click();
  await browser.waitUntil(() => browser.getAlertText().catch(() => false), { timeout: WAIT });
  const question = await browser.getAlertText();
  if (question !== "Place the order for Eve?") throw new Error(question);
  await browser.acceptAlert();
  await browser.execute("deskhand: control window", { do: "close" }); // its own closeWindow throws after the last one
}

async function write(browser, file) {
  await browser.$("//document//paragraph").addValue("Dear Eve");
  await browser.keys(["Control", "s"]);
  const name = browser.$("dialog textfield:focused");
  await name.setValue(file);
  await browser.$('dialog button[name="Save"]').click();
  await browser.waitUntil(async () => (await browser.getTitle()).startsWith(file.split("/").pop()), { timeout: WAIT });
}

for (const [kind, command, file] of JSON.parse(apps)) {
  const browser = await remote({
    hostname,
    port: Number(port),
    logLevel: "error",
    connectionRetryCount: 0,
    capabilities: {
      platformName: "linux",
      "appium:automationName": "deskhand",
      "deskhand:command": command,
      timeouts: { implicit: WAIT, pageLoad: 90000 },
    },
  });
  try {
    await (kind === "office" ? write : order)(browser, file);
    console.log(`${kind} done`);
  } finally {
    await browser.deleteSession();
  }
}
