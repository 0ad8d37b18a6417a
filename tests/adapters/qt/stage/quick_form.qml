// A form with one of every kind of item. It knows nothing of deskhand.
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts

ApplicationWindow {
    id: window
    title: "Everything"
    objectName: "window"
    x: 30
    y: 40
    width: 700
    height: 640
    visible: true

    function say(what) { journal.add(what) }

    Shortcut { sequence: "Ctrl+S"; onActivated: window.say("saved") }

    menuBar: MenuBar {
        Menu {
            title: "&File"
            MenuItem { text: "&Open"; onTriggered: window.say("opened") }
            MenuItem { text: "Wrap"; checkable: true; onTriggered: window.say("wrap " + checked) }
        }
    }

    ColumnLayout {
        anchors.fill: parent
        anchors.margins: 8
        spacing: 4

        RowLayout {
            Button { objectName: "push"; text: "&Push"; onClicked: window.say("pushed") }
            Button { objectName: "dead"; text: "Dead"; enabled: false }
            Button { objectName: "ask"; text: "Ask"; onClicked: question.open() }
            Button { objectName: "float"; text: "Float"; onClicked: floating.open() }
            CheckBox { objectName: "check"; text: "I agree"; onToggled: window.say("check " + checked) }
            CheckBox { objectName: "three"; text: "Three"; tristate: true; onClicked: window.say("three " + checkState) }
            Switch { objectName: "wifi"; text: "Wifi"; onToggled: window.say("wifi " + checked) }
        }
        GroupBox {
            objectName: "delivery"
            title: "Delivery"
            RowLayout {
                RadioButton { objectName: "post"; text: "Post"; onToggled: window.say("delivery " + text) }
                RadioButton { objectName: "courier"; text: "Courier"; onToggled: window.say("delivery " + text) }
            }
        }
        RowLayout {
            Label { text: "Name:" }
            TextField {
                objectName: "line"
                placeholderText: "Full name"
                onTextEdited: window.say("edited " + text)
                onAccepted: window.say("submitted " + text)
                onEditingFinished: window.say("finished " + text)
            }
            TextField { objectName: "secret"; Accessible.name: "Password"; echoMode: TextInput.Password; maximumLength: 6 }
            TextField { objectName: "fixed"; text: "fixed"; readOnly: true }
            TextField { objectName: "digits"; placeholderText: "Number"; validator: IntValidator { bottom: 0; top: 99 } }
            TextArea { objectName: "text"; Layout.preferredWidth: 120; Layout.preferredHeight: 40 }
        }
        RowLayout {
            ComboBox {
                objectName: "combo"
                textRole: "name"
                valueRole: "code"
                model: ListModel {
                    ListElement { name: "France"; code: "fr" }
                    ListElement { name: "Kenya"; code: "ke" }
                    ListElement { name: "Japan"; code: "jp" }
                }
                onActivated: (at) => window.say("chose " + textAt(at))
            }
            // Qt gives it this name itself where accessibility is on.
            ComboBox { objectName: "free"; Accessible.name: displayText; editable: true; model: ["one", "two"] }
            SpinBox { objectName: "spin"; from: 0; to: 50; onValueModified: window.say("spin " + value) }
            Slider { objectName: "slider"; from: 0; to: 100; onMoved: window.say("slid " + Math.round(value)) }
            ProgressBar { objectName: "bar"; value: 0.4 }
        }
        TabBar {
            objectName: "tabs"
            onCurrentIndexChanged: window.say("tab " + currentIndex)
            TabButton { text: "First" }
            TabButton { text: "Second" }
        }
        RowLayout {
            ListView {
                id: names
                objectName: "names"
                Layout.preferredWidth: 200
                Layout.preferredHeight: 120
                clip: true
                model: 1000
                delegate: ItemDelegate {
                    required property int index
                    width: ListView.view.width
                    text: "name " + index
                    onClicked: window.say("row " + index)
                }
            }
            ListView {
                objectName: "plain"
                Layout.preferredWidth: 120
                Layout.preferredHeight: 120
                clip: true
                model: ["ant", "bee", "cat"]
                delegate: Rectangle {
                    width: 100
                    height: 30
                    Text { text: modelData }
                    MouseArea { anchors.fill: parent; onClicked: window.say("chose " + modelData) }
                }
            }
            Flickable {
                objectName: "area"
                Layout.preferredWidth: 120
                Layout.preferredHeight: 120
                clip: true
                contentHeight: 800
                contentWidth: 110
                Button { objectName: "far"; y: 700; text: "Far"; onClicked: window.say("far") }
            }
            Rectangle {
                objectName: "card"
                Layout.preferredWidth: 100
                Layout.preferredHeight: 60
                color: "pink"
                Text { objectName: "caption"; text: "tap me" }
                MouseArea {
                    objectName: "mouse"
                    anchors.fill: parent
                    hoverEnabled: true
                    acceptedButtons: Qt.LeftButton | Qt.RightButton
                    onEntered: window.say("hovered")
                    onClicked: (mouse) => window.say((mouse.button === Qt.RightButton ? "right" : "left")
                                                     + (mouse.modifiers & Qt.ControlModifier ? " ctrl" : ""))
                    onDoubleClicked: window.say("double")
                    onWheel: (wheel) => window.say("wheel " + wheel.angleDelta.y)
                }
            }
            Item {
                Layout.preferredWidth: 80
                Layout.preferredHeight: 80
                Rectangle {
                    objectName: "turned"
                    width: 60
                    height: 20
                    anchors.centerIn: parent
                    rotation: 90
                    color: "lightblue"
                    Accessible.name: "Turn"
                    Accessible.role: Accessible.Button
                    Accessible.description: "stands upright"
                    TapHandler { onTapped: window.say("tapped") }
                }
            }
        }
        RowLayout {
            TableView {
                objectName: "table"
                Layout.preferredWidth: 200
                Layout.preferredHeight: 90
                clip: true
                model: people
                delegate: Rectangle {
                    implicitWidth: 90
                    implicitHeight: 30
                    Text { text: display }
                    MouseArea { anchors.fill: parent; onClicked: window.say("cell " + row + "," + column) }
                }
            }
            Button {
                objectName: "made"
                onClicked: window.say("made")
                contentItem: Row {
                    Text { text: "Own" }
                    Text { text: "words" }
                    CheckBox { objectName: "inner"; onToggled: window.say("inner " + checked) }
                    TextField { width: 40; text: "hidden"; echoMode: TextInput.Password }
                }
            }
            ScrollView {
                Layout.preferredWidth: 120
                Layout.preferredHeight: 60
                TextArea { objectName: "notes" }
            }
        }
        Item { Layout.fillHeight: true }
    }

    Rectangle {
        id: lid
        objectName: "lid"
        visible: false
        x: 0
        y: 0
        width: 300
        height: 80
        color: "grey"
        MouseArea { anchors.fill: parent }
    }
    Text { objectName: "glass"; visible: false; width: 300; height: 80; text: "Over it all" }

    Dialog {
        id: question
        title: "Question"
        modal: true
        anchors.centerIn: parent
        standardButtons: Dialog.Yes | Dialog.No
        onAccepted: window.say("answered yes")
        onRejected: window.say("answered no")
        Label { text: "Really?" }
    }

    Popup {
        id: floating
        x: 400
        y: 300
        Button { objectName: "inside"; text: "Inside"; onClicked: window.say("inside") }
    }
}
