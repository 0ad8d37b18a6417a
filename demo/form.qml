// The order form in Qt Quick. It knows nothing of deskhand.
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts

ApplicationWindow {
    id: form
    objectName: "order_form"
    title: "Order form"
    width: 640
    height: 560
    visible: true

    function say(what) {
        report.text = what
        journal.add(what)
    }

    onClosing: journal.finish(nameField.text)

    Timer {
        id: later
        interval: 300
        onTriggered: {
            send.enabled = true
            hint.visible = true
            form.say("loaded")
        }
    }

    Shortcut {
        sequence: "Ctrl+S"
        onActivated: form.say("saved")
    }

    ColumnLayout {
        anchors.fill: parent
        anchors.margins: 10

        RowLayout {
            Label { text: "Name" }
            TextField {
                id: nameField
                objectName: "name"
                Accessible.name: "Name"
                placeholderText: "Full name"
                Layout.fillWidth: true
                onTextChanged: form.say("name " + text)
                onAccepted: form.say("submitted " + text)
            }
        }
        RowLayout {
            Label { text: "Password" }
            TextField {
                objectName: "secret"
                Accessible.name: "Password"
                echoMode: TextInput.Password
                Layout.fillWidth: true
                onTextChanged: form.say("secret of " + text.length)
            }
        }
        CheckBox {
            text: "Send me the newsletter"
            Layout.fillWidth: true
            onToggled: form.say("newsletter " + (checked ? "True" : "False"))
        }
        RowLayout {
            Label { text: "Country" }
            ComboBox {
                objectName: "country"
                Accessible.name: "Country"
                model: ["France", "Kenya", "Japan", "Peru"]
                onActivated: form.say("country " + currentText)
            }
        }
        GroupBox {
            title: "Delivery"
            RowLayout {
                RadioButton { text: "Post"; onToggled: form.say("delivery " + text) }
                RadioButton { text: "Courier"; onToggled: form.say("delivery " + text) }
            }
        }
        RowLayout {
            Button { text: "Greet"; onClicked: form.say("Hello, " + nameField.text + "!") }
            Button { objectName: "order"; text: "Place order…"; onClicked: confirm.createObject(form) }
            Button {
                objectName: "later"
                text: "Load later"
                onClicked: { form.say("loading"); later.start() }
            }
            Button { id: send; objectName: "send"; text: "Send"; enabled: false; onClicked: form.say("sent") }
        }
        Button { id: hint; objectName: "hint"; text: "Hidden hint"; visible: false }
        Item { Layout.fillHeight: true }
        Label { id: report; objectName: "report"; text: "ready"; Layout.fillWidth: true }
    }

    Component {
        id: confirm

        Window {
            id: dialog
            title: "Confirm"
            modality: Qt.ApplicationModal
            flags: Qt.Dialog
            transientParent: form
            width: 320
            height: 120
            visible: true
            onClosing: destroy()

            function answer(what) {
                close()
                form.say(what)
            }

            ColumnLayout {
                anchors.fill: parent
                anchors.margins: 10
                Label { text: "Place the order for " + nameField.text + "?" }
                RowLayout {
                    Button { text: "Yes"; onClicked: dialog.answer("ordered") }
                    Button { text: "No"; onClicked: dialog.answer("order cancelled") }
                }
            }
        }
    }
}
