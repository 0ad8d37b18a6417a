# Reads a Tk program in one go: widgets made in Tcl (message and file boxes) are found as well as those of Python.
#
# A widget is one list: depth, uid, x, y, width and height in what it is in, 1 if it is mapped or else what manages it, what its kind
# has to say, how many widgets are in it, and for a top-level window what the window manager knows of it.
# Everything that read.py needs is in it, so that one call reads a whole program. The text of a password never
# leaves this file.

namespace eval ::deskhand {
    variable prefix t
    variable number 0
    variable kept 20000
    variable mask "\u2022\u2022\u2022\u2022"
    # Of each widget: its uid and its kind. The list of those that were met for the first time in a walk.
    variable uids
    variable kinds
    variable new {}
    variable gone {}
    # An option that only the widget of a class has.
    variable marks {
        Button -command  Canvas -closeenough  Checkbutton -onvalue  Entry -show  Label -text  Listbox -listvariable
        Menu -tearoff  Menubutton -menu  Message -aspect  Radiobutton -value  Scale -from  Spinbox -increment
        Text -wrap  TButton -command  TCheckbutton -onvalue  TCombobox -values  TEntry -show  TLabel -text
        TMenubutton -menu  TProgressbar -mode  TRadiobutton -value  TScale -from  TSpinbox -increment
        Treeview -displaycolumns
    }
}

proc ::deskhand::learn {w} {
    variable uids
    variable kinds
    variable new
    variable number
    variable prefix
    set uid $prefix[incr number]
    set class [winfo class $w]
    set uids($w) $uid
    set kinds($w) [kind $w $class]
    lappend new [list $uid $w $class $kinds($w)]
    # The command of a widget goes with it; this also notices a widget that is made anew under the same name.
    catch {trace add command $w delete [list ::deskhand::forget $w $uid]}
    return $uid
}

proc ::deskhand::forget {w uid args} {
    variable uids
    variable kinds
    variable gone
    if {[info exists uids($w)] && $uids($w) eq $uid} {
        unset uids($w) kinds($w)
    }
    lappend gone $uid
}

# What kind of widget this is: by its class, unless the program chose that itself.
proc ::deskhand::kind {w class} {
    switch -- $class {
        Button - Canvas - Checkbutton - Entry - Frame - Label - Labelframe - Listbox - Menu - Menubutton -
        Message - Panedwindow - Radiobutton - Scale - Scrollbar - Spinbox - Text - Toplevel - TButton -
        TCheckbutton - TCombobox - TEntry - TFrame - TLabel - TLabelframe - TMenubutton - TNotebook -
        TPanedwindow - TProgressbar - TRadiobutton - TScale - TScrollbar - TSeparator - TSizegrip - TSpinbox -
        Treeview {
            # Programs, and Tk itself, have frames of such classes that only look like the widget.
            variable marks
            if {![dict exists $marks $class] || ![catch {$w cget [dict get $marks $class]}]} {
                return [string tolower $class]
            }
        }
    }
    if {[catch {$w configure} options]} { return other }
    set names {}
    foreach option $options { lappend names [lindex $option 0] }
    foreach {name wanted} {
        toplevel {-screen -use}  treeview {-displaycolumns}  tcombobox {-postcommand -values}
        spinbox {-buttonbackground -increment}  tspinbox {-increment -wrap -style}
        listbox {-listvariable -activestyle}  canvas {-closeenough}  text {-tabstyle}
        scale {-from -sliderlength}  tscale {-from -style -to}  tprogressbar {-maximum -mode -style}
        scrollbar {-elementborderwidth}  message {-aspect}  menu {-tearoffcommand}
        tmenubutton {-menu -style}  menubutton {-menu -indicatoron}
        tradiobutton {-style -value -variable}  tcheckbutton {-style -onvalue}
        radiobutton {-tristateimage -value}  checkbutton {-tristateimage -onvalue}
        tbutton {-style -default}  button {-default -overrelief}
        tentry {-show -style}  entry {-show -readonlybackground}
        tlabelframe {-labelwidget -style}  labelframe {-labelwidget}
        tlabel {-style -text}  label {-text}  tframe {-style -relief}  frame {-container}
    } {
        set all 1
        foreach option $wanted {
            if {$option ni $names} { set all 0; break }
        }
        if {$all} { return $name }
    }
    return other
}

# All widgets: what was met for the first time, what is gone, what has the focus and the grab, the rows, and the
# menus that are posted.
proc ::deskhand::walk {} {
    variable new
    variable gone
    variable rows {}
    variable posted {}
    set was $gone
    set gone {}
    set new {}
    if {[catch {visit . 0} problem]} {
        # The program was destroyed meanwhile.
        if {[winfo exists .]} { error $problem $::errorInfo }
    }
    set found $rows
    set rows {}
    # [focus] is empty while another program has the focus.
    if {[catch {list [focus] [grabbed]} state]} { set state {{} {}} }
    list $new $was [uid_of [lindex $state 0]] [uid_of [lindex $state 1]] $found $posted
}

# The widget that takes all input. [grab current] also names those of other interpreters.
proc ::deskhand::grabbed {} {
    foreach w [grab current] {
        if {[winfo exists $w]} { return $w }
    }
    return ""
}

proc ::deskhand::uid_of {w} {
    variable uids
    if {$w eq ""} { return "" }
    if {[info exists uids($w)]} { return $uids($w) }
    return ""
}

# Some widgets and all that is in them. One procedure for all of them: to call one for each would take as long again.
proc ::deskhand::visit {widgets depth} {
    variable uids
    variable kinds
    variable rows
    variable posted
    foreach w $widgets {
        if {[info exists uids($w)]} { set uid $uids($w) } else { set uid [learn $w] }
        set below [winfo children $w]
        set mapped [winfo ismapped $w]
        if {[catch {
            switch -- $kinds($w) {
                tlabel - tbutton { set more [list [$w cget -text] [$w state]] }
                label - button { set more [list [$w cget -text] [$w cget -state]] }
                entry { set more [entry $w [$w cget -state]] }
                tentry { set more [entry $w [$w state]] }
                frame - toplevel - tframe - other { set more {} }
                labelframe - tlabelframe { set more [list [$w cget -text]] }
                checkbutton {
                    set more [list [$w cget -text] [$w cget -state] [ticked $w -onvalue] [$w cget -indicatoron]]
                }
                radiobutton {
                    set more [list [$w cget -text] [$w cget -state] [ticked $w -value] [$w cget -indicatoron]]
                }
                tcheckbutton - tradiobutton {
                    set states [$w state]
                    set more [list [$w cget -text] $states \
                        [expr {"alternate" in $states ? "mixed" : "selected" in $states}] 1]
                }
                message { set more [list [$w cget -text] normal] }
                menu {
                    # Menus are read where they are shown: in a menu bar, by their button, or as a popup.
                    if {$mapped && [$w cget -type] ne "menubar"} { lappend posted $w }
                    visit $below [expr {$depth + 1}]
                    continue
                }
                default { set more [$kinds($w) $w $mapped] }
            }
        } problem options]} {
            if {[dict get $options -code] == 4} { continue }
            set more [list !unreadable $problem]
        }
        # What is scrolled out of a canvas or a text is unmapped by it, and can be scrolled to.
        if {!$mapped} { set mapped [winfo manager $w] }
        set row [list $depth $uid [winfo x $w] [winfo y $w] [winfo width $w] [winfo height $w] $mapped $more \
            [llength $below]]
        switch -- $kinds($w) {
            toplevel - frame - labelframe { if {[winfo toplevel $w] eq $w} { lappend row [window $w] } }
        }
        lappend rows $row
        if {[llength $below]} { visit $below [expr {$depth + 1}] }
    }
}

# -- windows -------------------------------------------------------------------------------------------------

proc ::deskhand::window {w} {
    set zoomed 0
    catch {set zoomed [wm attributes $w -zoomed]}
    set bar ""
    if {![catch {$w cget -menu} menu] && $menu ne "" && [winfo exists $menu]} { set bar [bar $w $menu] }
    # A combo box makes its list a transient window without a frame, so both are asked for.
    list [wm title $w] [wm state $w] [winfo rootx $w] [winfo rooty $w] $bar [wm overrideredirect $w] \
        [wm transient $w] $zoomed [winfo class $w] [winfo name $w]
}

# The top-level windows that are shown.
proc ::deskhand::tops {w} {
    set found {}
    if {[winfo toplevel $w] eq $w && [winfo ismapped $w]} { lappend found $w }
    foreach child [winfo children $w] { lappend found {*}[tops $child] }
    return $found
}

# The menu bar of a window is a copy of the menu that the program made.
proc ::deskhand::bar {w menu} {
    if {$w eq "."} { set w "" }
    set copy $w.[string map {. #} $menu]
    if {[winfo exists $copy]} { return [menu $copy] }
    return ""
}

proc ::deskhand::bar_height {w} {
    if {[catch {$w cget -menu} menu] || $menu eq ""} { return 0 }
    if {$w eq "."} { set w "" }
    set copy $w.[string map {. #} $menu]
    if {[winfo exists $copy] && [winfo ismapped $copy]} { return [winfo height $copy] }
    return 0
}

# -- text ----------------------------------------------------------------------------------------------------

proc ::deskhand::entry {w state} {
    variable mask
    if {[$w cget -show] ne ""} {
        return [list [expr {[$w index end] > 0 ? $mask : ""}] $state 1]
    }
    list [$w get] $state 0
}

proc ::deskhand::text {w mapped} {
    variable kept
    set links {}
    if {$mapped} {
        set first [$w index @0,0]
        set last [$w index "@[winfo width $w],[winfo height $w] + 1 c"]
        foreach tag [$w tag names] {
            if {$tag eq "sel" || [llength $links] > 200} { continue }
            set acts 0
            foreach event [$w tag bind $tag] {
                if {[string match "*Button*1>" $event] || $event in {<1> <Button> <ButtonPress> <ButtonRelease>}} { set acts 1 }
            }
            if {!$acts} { continue }
            set at $first
            # A range that begins before what is shown is found from where it begins.
            set before [$w tag prevrange $tag $first]
            if {[llength $before] && [$w compare [lindex $before 1] > $first]} { set at [lindex $before 0] }
            while {[llength [set range [$w tag nextrange $tag $at $last]]] && [llength $links] < 200} {
                lassign $range from at
                lappend links [list $tag $from [$w get $from $at] [$w bbox $from] [$w bbox "$at - 1 c"]]
            }
        }
    }
    list [$w get 1.0 "1.0 + [expr {$kept + 1}] indices"] [$w cget -state] $links
}

# -- choices -------------------------------------------------------------------------------------------------

proc ::deskhand::tcombobox {w mapped} {
    set values [$w cget -values]
    list [$w get] [$w state] [lrange $values 0 99] [llength $values] [$w current] \
        [expr {[winfo exists $w.popdown] && [winfo ismapped $w.popdown]}]
}

proc ::deskhand::menubutton {w mapped} {
    list [$w cget -text] [$w cget -state] [expr {[$w cget -indicatoron] && [$w cget -textvariable] ne ""}] \
        [labels [$w cget -menu]]
}

proc ::deskhand::tmenubutton {w mapped} {
    list [$w cget -text] [$w state] [expr {[$w cget -textvariable] ne ""}] [labels [$w cget -menu]]
}

proc ::deskhand::labels {menu} {
    set found {}
    if {$menu eq "" || ![winfo exists $menu]} { return $found }
    set last [$menu index end]
    if {$last eq "none" || $last eq ""} { return $found }
    for {set i 0} {$i <= $last && [llength $found] < 100} {incr i} {
        if {[$menu type $i] in {command radiobutton checkbutton}} {
            lappend found [list $i [$menu entrycget $i -label] [$menu entrycget $i -state]]
        }
    }
    return $found
}

proc ::deskhand::ticked {w option} {
    set name [$w cget -variable]
    if {$name eq "" || [catch {set ::$name} value]} { return 0 }
    if {$value eq [$w cget $option]} { return 1 }
    expr {$value eq [$w cget -tristatevalue] ? "mixed" : 0}
}

# -- numbers -------------------------------------------------------------------------------------------------

proc ::deskhand::spinbox {w mapped} {
    list [$w get] [$w cget -state] [$w cget -from] [$w cget -to] [$w cget -values]
}

proc ::deskhand::tspinbox {w mapped} {
    list [$w get] [$w state] [$w cget -from] [$w cget -to] [$w cget -values]
}

proc ::deskhand::scale {w mapped} {
    list [$w get] [$w cget -state] [$w cget -from] [$w cget -to] [$w cget -label]
}

proc ::deskhand::tscale {w mapped} {
    list [$w get] [$w state] [$w cget -from] [$w cget -to] ""
}

proc ::deskhand::tprogressbar {w mapped} {
    list [$w cget -value] [$w cget -maximum] [$w cget -mode]
}

proc ::deskhand::scrollbar {w mapped} { lrange [$w get] 0 1 }
proc ::deskhand::tscrollbar {w mapped} { $w get }
proc ::deskhand::panedwindow {w mapped} { return {} }
proc ::deskhand::tpanedwindow {w mapped} { return {} }
proc ::deskhand::tseparator {w mapped} { return {} }
proc ::deskhand::tsizegrip {w mapped} { return {} }

# -- lists, trees, tabs --------------------------------------------------------------------------------------

proc ::deskhand::listbox {w mapped} {
    set size [$w size]
    set items {}
    set first 0
    if {$mapped && $size} {
        set first [$w nearest 0]
        set last [$w nearest [winfo height $w]]
        for {set i $first} {$i <= $last} {incr i} {
            lappend items [list $i [$w get $i] [$w bbox $i] [$w selection includes $i]]
        }
    }
    list $size $items [lrange [$w curselection] 0 999] [$w cget -state] [$w cget -selectmode] [$w index active]
}

proc ::deskhand::tnotebook {w mapped} {
    set tabs {}
    set at 0
    foreach page [$w tabs] {
        lappend tabs [list $at $page [$w tab $page -text] [$w tab $page -state] {}]
        incr at
    }
    set current [expr {[llength $tabs] ? [$w index current] : -1}]
    if {$mapped} {
        foreach {at bounds} [strip $w] {
            if {$at < [llength $tabs]} { lset tabs $at 4 $bounds }
        }
    }
    list $tabs $current
}

# Where the tabs of a notebook are. It does not say so itself, only which one is at a point.
proc ::deskhand::strip {w} {
    set wide [winfo width $w]
    set high [winfo height $w]
    set found {}
    set page [lindex [$w tabs] 0]
    foreach tab [$w tabs] {
        if {[winfo ismapped $tab]} { set page $tab }
    }
    if {$page eq ""} { return {} }
    # Beside the page: above or below it, or to the left or right of it.
    set top [expr {[winfo rooty $page] - [winfo rooty $w]}]
    set left [expr {[winfo rootx $page] - [winfo rootx $w]}]
    set below [expr {$high - $top - [winfo height $page]}]
    set right [expr {$wide - $left - [winfo width $page]}]
    set most [expr {max($top, $left, $below, $right)}]
    if {$most == $top || $most == $below} {
        set y [expr {$most == $top ? $top / 2 : $high - $below / 2}]
        set box [expr {$most == $top ? [list 0 $top] : [list [expr {$high - $below}] $below]}]
        set before ""
        for {set x 0} {$x <= $wide} {incr x 2} {
            set at [expr {$x < $wide ? [$w identify tab $x $y] : ""}]
            if {$at ne $before} {
                if {$before ne ""} { lappend found $before [list $start [lindex $box 0] [expr {$x - $start}] [lindex $box 1]] }
                set start $x
                set before $at
            }
        }
    } else {
        set x [expr {$most == $left ? $left / 2 : $wide - $right / 2}]
        set box [expr {$most == $left ? [list 0 $left] : [list [expr {$wide - $right}] $right]}]
        set before ""
        for {set y 0} {$y <= $high} {incr y 2} {
            set at [expr {$y < $high ? [$w identify tab $x $y] : ""}]
            if {$at ne $before} {
                if {$before ne ""} { lappend found $before [list [lindex $box 0] $start [lindex $box 1] [expr {$y - $start}]] }
                set start $y
                set before $at
            }
        }
    }
    return $found
}

proc ::deskhand::columns {w} {
    set shown [$w cget -displaycolumns]
    if {$shown eq "#all" || $shown eq "#all "} { set shown [$w cget -columns] }
    set found {}
    set kinds [$w cget -show]
    if {"tree" in $kinds} { lappend found [list #0 [$w heading #0 -text]] }
    foreach column $shown { lappend found [list [$w column $column -id] [$w heading $column -text]] }
    return $found
}

# All rows that can be scrolled to, in order: those in closed rows are not.
proc ::deskhand::displayed {w} {
    set roots [$w children {}]
    set count [llength $roots]
    if {$count > 200} {
        # To ask each of many rows takes long; where none is open, the scroll bar has just as many.
        lassign [$w yview] from to
        set row [lindex [shown $w] 0]
        if {$row ne "" && $to > $from} {
            set high [lindex [$w bbox $row] 3]
            foreach extra {0 1} {
                for {set rows 0} {$rows * $high <= [winfo height $w] + $high} {incr rows} {
                    if {abs($rows / double($to - $from) - $count - $extra) < 0.01} { return $roots }
                }
            }
        }
    }
    set found {}
    opened $w $roots
    return $found
}

proc ::deskhand::opened {w items} {
    upvar 1 found found
    foreach item $items {
        lappend found $item
        set below [$w children $item]
        if {[llength $below] && [$w item $item -open]} { opened $w $below }
    }
}

proc ::deskhand::shown {w} {
    set rows {}
    set high [winfo height $w]
    set before ""
    for {set y 0} {$y < $high} {incr y 4} {
        set item [$w identify item 1 $y]
        # Over the headings, Tk names a row that is scrolled out above them.
        if {$item ne $before && $item ne "" && [llength [$w bbox $item]]} { lappend rows $item }
        set before $item
    }
    return $rows
}

proc ::deskhand::treeview {w mapped} {
    set columns [columns $w]
    set all [displayed $w]
    set rows {}
    if {$mapped} {
        set names {}
        foreach column $columns { lappend names [lindex $column 0] }
        set selected [$w selection]
        set tree [expr {"#0" in $names}]
        set at -1
        foreach item [shown $w] {
            # The rows that are shown come one after the other.
            if {$at < 0} { set at [lsearch -exact $all $item] } else { incr at }
            set cells {}
            foreach name $names {
                # Not by [expr], which takes "1.50" for a number.
                if {$name eq "#0"} { set text [$w item $item -text] } else { set text [$w set $item $name] }
                lappend cells [list $text [$w bbox $item $name]]
            }
            set level 0
            for {set above [$w parent $item]} {$above ne ""} {set above [$w parent $above]} { incr level }
            lappend rows [list $item $at $cells [$w bbox $item] [expr {$item in $selected}] \
                [llength [$w children $item]] [$w item $item -open] $level]
        }
    }
    set heads {}
    if {$mapped && "headings" in [$w cget -show]} { set heads [headings $w $columns] }
    list [llength $all] $rows $columns [lrange [$w selection] 0 999] [$w focus] [$w state] [$w cget -show] $heads
}

proc ::deskhand::headings {w columns} {
    set first [lindex [shown $w] 0]
    set found {}
    set wide [winfo width $w]
    set y 4
    set before ""
    set start 0
    for {set x 0} {$x <= $wide} {incr x 2} {
        set at [expr {$x < $wide && [$w identify region $x $y] in {heading separator} ? [$w identify column $x $y] : ""}]
        if {$at ne $before} {
            if {$before ne ""} {
                set id [$w column $before -id]
                if {$before eq "#0"} { set id #0 }
                lappend found [list $id [list $start 0 [expr {$x - $start}] [bottom $w $start]]]
            }
            set start $x
            set before $at
        }
    }
    return $found
}

proc ::deskhand::bottom {w x} {
    for {set y 4} {$y < 80 && [$w identify region [expr {$x + 4}] $y] in {heading separator}} {incr y 2} {}
    return $y
}

# -- menus ---------------------------------------------------------------------------------------------------

# A menu and those that it opens: uid, path, geometry on the screen if it is shown, and its entries.
proc ::deskhand::menu {m {level 0}} {
    variable uids
    if {[info exists uids($m)]} { set uid $uids($m) } else { set uid [learn $m] }
    set shown [winfo ismapped $m]
    set place {}
    if {$shown} { set place [list [winfo rootx $m] [winfo rooty $m] [winfo width $m] [winfo height $m]] }
    set entries {}
    set last [$m index end]
    if {$last eq "none" || $last eq ""} { return [list $uid $m $place [$m cget -type] {}] }
    set across [expr {[$m cget -type] eq "menubar"}]
    for {set i 0} {$i <= $last && $i < 500} {incr i} {
        set type [$m type $i]
        if {$type eq "tearoff"} { continue }
        if {$type eq "separator"} {
            lappend entries [list $i separator "" normal "" [spot $m $i $last $place $across] "" ""]
            continue
        }
        set below ""
        set checked ""
        if {$type eq "cascade"} {
            set other [$m entrycget $i -menu]
            if {$other ne "" && [winfo exists $other] && $level < 20} { set below [menu $other [expr {$level + 1}]] }
        } elseif {$type ne "command"} {
            set name [$m entrycget $i -variable]
            set wanted [$m entrycget $i [expr {$type eq "checkbutton" ? "-onvalue" : "-value"}]]
            if {$type eq "radiobutton" && $wanted eq ""} { set wanted [$m entrycget $i -label] }
            set checked [expr {![catch {set ::$name} value] && $value eq $wanted}]
        }
        lappend entries [list $i $type [$m entrycget $i -label] [$m entrycget $i -state] \
            [$m entrycget $i -accelerator] [spot $m $i $last $place $across] $checked $below]
    }
    list $uid $m $place [$m cget -type] $entries
}

# Where an entry is on the screen, if its menu is.
proc ::deskhand::spot {m i last place across} {
    if {![llength $place]} { return {} }
    lassign $place left top wide high
    set x [$m xposition $i]
    set y [$m yposition $i]
    if {$across} {
        # Entries are next to each other, as long as there is room.
        set end $wide
        if {$i < $last && [$m yposition [expr {$i + 1}]] == $y} { set end [$m xposition [expr {$i + 1}]] }
        if {$end == $wide} {
            for {set end [expr {$x + 1}]} {$end < $wide && [$m index @$end,[expr {$y + 2}]] eq $i} {incr end} {}
        }
        return [list [expr {$left + $x}] [expr {$top + $y}] [expr {$end - $x}] [expr {$high - $y}]]
    }
    set end $high
    if {$i < $last && [$m xposition [expr {$i + 1}]] == $x} { set end [$m yposition [expr {$i + 1}]] }
    list [expr {$left + $x}] [expr {$top + $y}] [expr {$wide - $x}] [expr {$end - $y}]
}

# -- drawings ------------------------------------------------------------------------------------------------

proc ::deskhand::canvas {w mapped} {
    set items [$w find all]
    set count [llength $items]
    set left [expr {int([$w canvasx 0])}]
    set top [expr {int([$w canvasy 0])}]
    if {$count > 500} {
        set items [lrange [$w find overlapping $left $top [$w canvasx [winfo width $w]] \
            [$w canvasy [winfo height $w]]] 0 499]
    }
    set found {}
    set windows {}
    foreach item $items {
        set type [$w type $item]
        set box [$w bbox $item]
        if {$type eq "window"} {
            lappend windows [list [$w itemcget $item -window] $box]
            incr count -1
            continue
        }
        if {[llength $box]} {
            lassign $box x1 y1 x2 y2
            set box [list [expr {$x1 - $left}] [expr {$y1 - $top}] [expr {$x2 - $x1}] [expr {$y2 - $y1}]]
        }
        set text ""
        if {$type eq "text"} { set text [$w itemcget $item -text] }
        lappend found [list $item $type $text $box [$w itemcget $item -tags] [$w itemcget $item -state] \
            [llength [$w bind $item]]]
    }
    list $found $count [$w cget -scrollregion] $windows [$w yview] [$w xview]
}

# -- what actions need ---------------------------------------------------------------------------------------

# Scroll all that is around a widget so that it is shown.
proc ::deskhand::show {w} {
    for {set c $w} {$c ne "." && [winfo toplevel $c] ne $c} {set c [winfo parent $c]} {
        switch -- [winfo manager $c] {
            text {
                foreach t [list [winfo parent $c] {*}[winfo children [winfo parent $c]]] {
                    if {[winfo class $t] eq "Text" && ![catch {$t see $c}]} { break }
                }
            }
            canvas {
                foreach t [list [winfo parent $c] {*}[winfo children [winfo parent $c]]] {
                    if {[winfo class $t] ne "Canvas"} { continue }
                    foreach item [$t find all] {
                        if {[$t type $item] eq "window" && [$t itemcget $item -window] eq $c} {
                            show_in $t $item $w $c
                        }
                    }
                }
            }
        }
    }
    update idletasks
}

proc ::deskhand::show_in {canvas item w c} {
    set region [$canvas cget -scrollregion]
    if {$region eq ""} { set region [$canvas bbox all] }
    lassign $region left top right bottom
    lassign [$canvas bbox $item] x y
    incr x [expr {[winfo rootx $w] - [winfo rootx $c]}]
    incr y [expr {[winfo rooty $w] - [winfo rooty $c]}]
    foreach {view at long first room from to} [list \
        xview $x [winfo width $w] [$canvas canvasx 0] [winfo width $canvas] $left $right \
        yview $y [winfo height $w] [$canvas canvasy 0] [winfo height $canvas] $top $bottom] {
        if {$at >= $first && $at + $long <= $first + $room} { continue }
        # As little as possible; what is larger than the canvas begins at its edge.
        if {$at < $first || $long > $room} { set start $at } else { set start [expr {$at + $long - $room}] }
        if {$to > $from} { $canvas $view moveto [expr {double($start - $from) / ($to - $from)}] }
    }
}

# The row of a tree view that shows a text, by its number; -1 if there is none.
proc ::deskhand::find_row {w text} {
    set columns [$w cget -columns]
    set at 0
    foreach item [displayed $w] {
        if {[$w item $item -text] eq $text} { return $at }
        foreach column $columns {
            if {[$w set $item $column] eq $text} { return $at }
        }
        incr at
    }
    return -1
}

# Put a text where the cursor is, as the keyboard would: what is selected gives way.
proc ::deskhand::insert {w text} {
    variable kinds
    switch -- $kinds($w) {
        text { ::tk::TextInsert $w $text }
        entry - spinbox { ::tk::EntryInsert $w $text }
        tentry - tcombobox - tspinbox { ::ttk::entry::Insert $w $text }
        default { return 0 }
    }
    return 1
}

# -- letting go ----------------------------------------------------------------------------------------------

proc ::deskhand::close {} {
    variable uids
    foreach {w uid} [array get uids] {
        catch {trace remove command $w delete [list ::deskhand::forget $w $uid]}
    }
    namespace delete ::deskhand
}
