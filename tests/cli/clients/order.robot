*** Settings ***
Documentation       Completes the same task in one app after the other with AppiumLibrary, unmodified.
Library             AppiumLibrary    timeout=60
Test Teardown       Run Keyword And Ignore Error    Close Application

*** Test Cases ***
Order In Qt
    Order    qt

Order In GTK
    Order    gtk3

Order In wxPython
    Order    wx

Order In JavaFX
    Order    javafx

Write A Letter In LibreOffice
    Open    office
    Wait Until Page Contains Element    xpath=//document//paragraph
    Input Text    xpath=//document//paragraph    Dear Eve
    Execute Script    deskhand: key    keys=ctrl+s
    Wait Until Page Contains Element    css=dialog textfield:focused
    Clear Text    css=dialog textfield:focused
    Input Text    css=dialog textfield:focused    ${FILES}[office]
    Click Element    css=dialog button[name="Save"]
    Wait Until Page Does Not Contain Element    css=dialog

*** Keywords ***
Open
    [Arguments]    ${kind}
    Open Application    ${URL}    platformName=linux    automationName=deskhand    deskhand:command=${COMMANDS}[${kind}]

Order
    [Arguments]    ${kind}
    Open    ${kind}
    Wait Until Element Is Visible    name=Name
    Clear Text    name=Name
    Input Text    name=Name    Eve
    Click Element    css=checkbox
    Click Element    xpath=//radio[@name="Courier"]
    Click Element    name=Load later
    Expect Element    name=Send    enabled    timeout=60    retry_interval=0.1
    Click Element    name=Send
    Click Element    css=button[name^="Place order"]
    Wait Until Page Contains    Place the order for Eve?
    Click Element    xpath=//button[@name="Yes"]
    Wait Until Page Does Not Contain    Place the order for Eve?
    Execute Script    deskhand: control window    do=close
