/* Starts CPython inside a program written in C or C++, so that our in-app agent can run there.

   Loaded by LD_PRELOAD into every process of a launch. It does nothing in most: only where DESKHAND_NATIVE is set,
   the program has no Python of its own, and it is linked with a GUI toolkit that is known here. There it waits, on a
   thread of its own, for the program's application object, and starts Python then: a process that only prints its
   version, forks or starts another never gets that far.

   Loaded by a tracer into a process that runs, from a folder with a file `native` in it, which has the settings
   instead of DESKHAND_NATIVE; Python may be there from an earlier time.

   Nothing is ever written to the program's own output; what fails is reported to the socket that the settings name,
   and the program runs on. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

enum { LIBRARY, PROGRAM, BOOT, REPORT, ENTERED, SETTINGS };

static char *setting[SETTINGS];

/* What shows that the application object exists, for each toolkit: a pointer that is set then. GTK has none, but an
   event loop that can be asked to call us. */
static const struct { const char *library, *symbol; } toolkits[] = {
    {"libQt5Gui.so.5", "_ZN16QCoreApplication4selfE"},
    {"libQt6Gui.so.6", "_ZN16QCoreApplication4selfE"},
    {"libwx_gtk3u_core-3.2.so.0", "_ZN16wxAppConsoleBase14ms_appInstanceE"},
    {"libgtk-3.so.0", NULL},
    {"libgtk-4.so.1", NULL},
};

static void report(const char *what, const char *detail) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    char text[1024], plain[512];
    size_t length = 0;
    for (; detail && *detail && length < sizeof plain - 1; detail++)
        plain[length++] = *detail == '"' || *detail == '\\' || (unsigned char)*detail < ' ' ? '\'' : *detail;
    plain[length] = 0;
    snprintf(text, sizeof text, "{\"outside\": \"%s%s\", \"pid\": %d}", what, plain, (int)getpid());
    strncpy(to.sun_path, setting[REPORT], sizeof to.sun_path - 1);
    int channel = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (channel >= 0) {
        sendto(channel, text, strlen(text), MSG_DONTWAIT, (struct sockaddr *)&to, sizeof to);
        close(channel);
    }
}

static void *loop_runs;

static int in_loop(void *unused) {
    (void)unused;
    __atomic_store_n(&loop_runs, &loop_runs, __ATOMIC_RELEASE);
    return 0;
}

static void await_application(void *const *application) {
    const struct timespec pause = {.tv_nsec = 2000000}, constructors = {.tv_nsec = 50000000};
    if (application == &loop_runs) {
        unsigned (*when_idle)(int (*)(void *), void *) = dlsym(RTLD_DEFAULT, "g_idle_add");
        nanosleep(&constructors, NULL); /* those of GLib may come after ours */
        if (when_idle && !loop_runs)
            when_idle(in_loop, NULL);
    }
    while (!__atomic_load_n(application, __ATOMIC_ACQUIRE))
        nanosleep(&pause, NULL);
}

static void set_flag(void *python, const char *name) {
    int *flag = dlsym(python, name);
    if (flag)
        *flag = 1;
}

static void run_python(void) {
    /* For all to see: extension modules look for its symbols in the program. */
    void *python = dlopen(setting[LIBRARY], RTLD_NOW | RTLD_GLOBAL);
    if (!python) {
        report("Python cannot be loaded into it: ", dlerror());
        return;
    }
    int (*started)(void) = dlsym(python, "Py_IsInitialized");
    void (*set_program)(const wchar_t *) = dlsym(python, "Py_SetProgramName");
    void (*initialise)(int) = dlsym(python, "Py_InitializeEx");
    int (*run_file)(FILE *, const char *, int, void *) = dlsym(python, "PyRun_SimpleFileExFlags");
    void *(*let_go)(void) = dlsym(python, "PyEval_SaveThread");
    FILE *boot = fopen(setting[BOOT], "re");
    static wchar_t program[4096]; /* Python keeps the pointer */
    if (!initialise || !run_file || !let_go || !boot || mbstowcs(program, setting[PROGRAM], 4095) == (size_t)-1) {
        report("Python cannot be started in it: not found there: ", boot ? setting[LIBRARY] : setting[BOOT]);
        if (boot)
            fclose(boot);
        return;
    }
    if (started && started()) {
        /* From an earlier time. */
        int (*hold)(void) = dlsym(python, "PyGILState_Ensure");
        void (*release)(int) = dlsym(python, "PyGILState_Release");
        int held = hold();
        run_file(boot, setting[BOOT], 1, NULL);
        release(held);
        return;
    }
    /* The program's environment is not meant for this Python, and it must leave no files. */
    set_flag(python, "Py_IgnoreEnvironmentFlag");
    set_flag(python, "Py_NoUserSiteDirectory");
    set_flag(python, "Py_DontWriteBytecodeFlag");
    if (set_program)
        set_program(program);
    initialise(0); /* no signal handlers: those are the program's */
    run_file(boot, setting[BOOT], 1, NULL); /* returns when the agent was let go of */
    let_go();
}

static void *enter(void *application) {
    pthread_setname_np(pthread_self(), "deskhand");
    await_application(application);
    run_python();
    return NULL;
}

static void begin(void *application) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    /* Signals are the business of the program's own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    /* Python needs more than a program may have as its limit. */
    pthread_attr_setstacksize(&attributes, 8 << 20);
    if (pthread_create(&thread, &attributes, enter, application))
        report("no thread can be started in it", "");
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void *application;

static void begin_again(void) {
    /* A program that goes on as a child of itself has lost the thread, unless it had Python already. */
    if (application && !*(void **)application)
        begin(application);
}

static void *loaded(const char *library) {
    return dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
}

/* The settings in the folder that this library was loaded from; NULL if there are none. */
static char *settings_of_tracer(void) {
    static char text[8192], path[4096];
    Dl_info mine;
    if (!dladdr(settings_of_tracer, &mine) || !mine.dli_fname || strlen(mine.dli_fname) >= sizeof path)
        return NULL;
    strcpy(path, mine.dli_fname);
    char *name = strrchr(path, '/');
    if (!name || name + sizeof "/native" > path + sizeof path)
        return NULL;
    strcpy(name, "/native");
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

/* Which objects of Qt are gone. A binding knows that of those which Python made; the wrapper of another one would
   go on to stand for what comes to lie at its address. The agent says which ones it knows, and asks which are gone. */
#define SHOWN __attribute__((visibility("default")))

enum { MARKS = 1 << 16, MOST = 1 << 20 };

static unsigned char marks[MARKS]; /* by a part of the address: others may share a mark */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static void **gone, (*next)(void *);
static size_t room;
SHOWN size_t deskhand_gone;
SHOWN int deskhand_lost; /* there were more than are remembered: any may be gone */

static unsigned mark_of(const void *object) {
    return (size_t)object / 16 % MARKS;
}

static void removed(void *object) {
    if (marks[mark_of(object)]) {
        pthread_mutex_lock(&held);
        if (deskhand_gone == room && room < MOST) {
            size_t more = room ? 2 * room : 1024;
            void **moved = realloc(gone, more * sizeof *gone);
            if (moved) {
                gone = moved;
                room = more;
            }
        }
        if (deskhand_gone < room)
            gone[deskhand_gone++] = object;
        else
            deskhand_lost = 1;
        pthread_mutex_unlock(&held);
    }
    if (next)
        next(object);
}

SHOWN void deskhand_know(const void *object) {
    marks[mark_of(object)] = 1;
}

/* At most `most` of them, the latest first; how many. */
SHOWN size_t deskhand_take(void **into, size_t most) {
    size_t count = 0;
    pthread_mutex_lock(&held);
    while (deskhand_gone && count < most)
        into[count++] = gone[--deskhand_gone];
    pthread_mutex_unlock(&held);
    return count;
}

/* Into Qt's table of hooks, and out of it again unless another one came after. */
SHOWN void deskhand_hook(void (**hook)(void *)) {
    if (*hook != removed) {
        next = *hook;
        *hook = removed;
    }
}

SHOWN void deskhand_unhook(void (**hook)(void *)) {
    if (*hook == removed)
        *hook = next;
}

__attribute__((constructor)) static void start(void) {
    char *rest = settings_of_tracer();
    if (!rest) {
        const char *wanted = getenv("DESKHAND_NATIVE");
        if (!wanted || dlsym(RTLD_DEFAULT, "Py_InitializeEx"))
            return;
        rest = strdup(wanted);
    }
    for (int at = 0; at < SETTINGS; at++)
        if (!rest || !(setting[at] = strsep(&rest, "\n")))
            return;
    for (size_t at = 0; at < sizeof toolkits / sizeof *toolkits; at++)
        if (strstr(setting[ENTERED], toolkits[at].library) && loaded(toolkits[at].library)) {
            application = toolkits[at].symbol ? dlsym(RTLD_DEFAULT, toolkits[at].symbol) : &loop_runs;
            if (application) {
                pthread_atfork(NULL, NULL, begin_again);
                begin(application);
                return;
            }
        }
}
