import java.awt.BorderLayout;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JTree;
import javax.swing.SwingUtilities;
import javax.swing.tree.DefaultMutableTreeNode;
import javax.swing.tree.DefaultTreeModel;

/** A tree of two levels below its root, and a button that gives one of its nodes another name. */
class SwingTree {
    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(SwingTree::show);
    }

    private static void show() {
        DefaultMutableTreeNode plants = new DefaultMutableTreeNode("plants");
        DefaultMutableTreeNode trees = new DefaultMutableTreeNode("trees");
        DefaultMutableTreeNode oak = new DefaultMutableTreeNode("oak");
        trees.add(oak);
        trees.add(new DefaultMutableTreeNode("lime"));
        plants.add(trees);
        plants.add(new DefaultMutableTreeNode("herbs"));
        DefaultTreeModel model = new DefaultTreeModel(plants);
        JTree tree = new JTree(model);
        for (int row = 0; row < tree.getRowCount(); row++) {
            tree.expandRow(row);
        }
        JButton rename = new JButton("Rename");
        rename.addActionListener(event -> {
            trees.remove(oak);
            trees.insert(new DefaultMutableTreeNode("beech"), 0);
            model.reload(trees);
        });
        JFrame frame = new JFrame("Plants");
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.add(tree);
        frame.add(rename, BorderLayout.SOUTH);
        frame.setSize(300, 300);
        frame.setVisible(true);
    }
}
