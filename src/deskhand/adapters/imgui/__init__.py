"""Dear ImGui from the inside, through imgui-bundle: recorded by its functions, driven by its queue of input.

Imports the standard library, the model, and at run time imgui_bundle, which the program itself has loaded.
"""
