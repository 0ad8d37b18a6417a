// A form in Java Swing; what happens is said in a label.
import java.awt.BorderLayout;
import java.awt.GridLayout;
import javax.swing.*;

public class SwingForm {
    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(SwingForm::show);
    }

    static void show() {
        JFrame window = new JFrame("Swing form");
        JPanel fields = new JPanel(new GridLayout(0, 2));
        JLabel report = new JLabel("ready");
        JTextField name = new JTextField(20);
        JLabel label = new JLabel("Name");
        label.setLabelFor(name);
        fields.add(label);
        fields.add(name);
        JPasswordField secret = new JPasswordField("hunter2", 20);
        JLabel secretLabel = new JLabel("Password");
        secretLabel.setLabelFor(secret);
        fields.add(secretLabel);
        fields.add(secret);
        JCheckBox news = new JCheckBox("Newsletter");
        news.addActionListener(event -> report.setText("newsletter " + news.isSelected()));
        fields.add(news);
        JComboBox<String> country = new JComboBox<>(new String[] {"France", "Kenya"});
        country.addActionListener(event -> report.setText("country " + country.getSelectedItem()));
        fields.add(country);
        JButton greet = new JButton("Greet");
        greet.addActionListener(event -> report.setText("Hello, " + name.getText() + "!"));
        fields.add(greet);
        JMenuBar bar = new JMenuBar();
        JMenu file = new JMenu("File");
        JMenuItem save = new JMenuItem("Save");
        save.addActionListener(event -> report.setText("saved"));
        file.add(save);
        bar.add(file);
        window.setJMenuBar(bar);
        JTabbedPane pages = new JTabbedPane();
        pages.addTab("Form", fields);
        pages.addTab("Other", new JLabel("the other page"));
        pages.addChangeListener(event -> report.setText("page " + pages.getSelectedIndex()));
        window.add(pages);
        window.add(report, BorderLayout.SOUTH);
        window.pack();
        window.setVisible(true);
    }
}
