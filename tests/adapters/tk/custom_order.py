"""A program made with CustomTkinter, which knows nothing of deskhand. Its last label says what happened."""

import customtkinter

app = customtkinter.CTk()
app.title("Custom order")
app.geometry("420x720")
customtkinter.CTkLabel(app, text="Customer").pack()
customer = customtkinter.CTkEntry(app, placeholder_text="Full name")
customer.pack()
customtkinter.CTkLabel(app, text="Secret").pack()
customtkinter.CTkEntry(app, show="*").pack()
customtkinter.CTkLabel(app, text="Size").pack()
customtkinter.CTkOptionMenu(app, values=["small", "large"], command=lambda size: say(f"size {size}")).pack()
gift = customtkinter.CTkCheckBox(app, text="Gift", command=lambda: say(f"gift {gift.get()}"))
gift.pack()
fast = customtkinter.CTkSwitch(app, text="Fast", command=lambda: say(f"fast {fast.get()}"))
fast.pack()
customtkinter.CTkLabel(app, text="Amount").pack()
customtkinter.CTkSlider(app, from_=0, to=10, command=lambda amount: say(f"amount {amount:.0f}")).pack()
views = customtkinter.CTkTabview(app, height=80, command=lambda: say(f"view {views.get()}"))
views.pack()
for name in ("Cart", "History"):
    views.add(name)
customtkinter.CTkButton(views.tab("History"), text="Forget", command=lambda: say("forgotten")).pack()
notes = customtkinter.CTkTextbox(app, height=40)
notes.pack()
customtkinter.CTkButton(app, text="Order", command=lambda: say(f"order for {customer.get()}")).pack()
report = customtkinter.CTkLabel(app, text="ready")
report.pack()


def say(what):
    report.configure(text=what)


app.mainloop()
