#include "device/cpu/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Kernels before 5.3 have none; then only the end of the output tells. */
static int open_pidfd(pid_t pid) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

/* Stdin is empty, stdout and stderr are the pipe, signals are as a program
 * expects them, and the child leads a group of its own that can be killed whole. */
static int spawn(const tn_cpu_process *process, int output_fd, pid_t *out_pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output_fd, 1);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output_fd, 2);
    if (!error)
        error = posix_spawn(out_pid, process->argv[0], &actions, &attributes,
                            (char *const *)process->argv, (char *const *)process->environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Takes what is there now. False: the writers are gone, or reading failed. */
static bool drain(int fd, size_t limit, tn_strbuf *output) {
    char chunk[4096];
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n == 0) return false;
        if (n < 0) {
            if (errno == EINTR) continue;
            return errno == EAGAIN;
        }
        size_t room = limit > output->length ? limit - output->length : 0;
        tn_strbuf_bytes(output, chunk, (size_t)n < room ? (size_t)n : room);
    }
}

/* Until the child ends or the deadline passes, which the result tells. */
static bool watch(const tn_cpu_process *process, int fd, int pidfd, tn_strbuf *output) {
    int64_t deadline = now_ms() + process->timeout_ms;
    for (bool open = true;;) {
        int64_t left = deadline - now_ms();
        if (left <= 0) return false;
        struct pollfd fds[2] = {{.fd = open ? fd : -1, .events = POLLIN},
                                {.fd = pidfd, .events = POLLIN}};
        int n = poll(fds, 2, left > 60000 ? 60000 : (int)left);
        if (n < 0 && errno != EINTR) return true;
        if (n <= 0) continue;
        if (fds[0].revents) open = drain(fd, process->output_limit, output);
        if (fds[1].revents) {
            if (open) drain(fd, process->output_limit, output);
            return true;
        }
        if (!open && pidfd < 0) return true;
    }
}

static void reap(pid_t pid, tn_cpu_process_end *out_end) {
    int state = 0;
    pid_t got;
    do {
        got = waitpid(pid, &state, 0);
    } while (got < 0 && errno == EINTR);
    out_end->exit_code = -1;
    if (got != pid) {
        out_end->unknown = true;
    } else if (WIFEXITED(state)) {
        out_end->exit_code = WEXITSTATUS(state);
    } else if (WIFSIGNALED(state)) {
        out_end->signal = WTERMSIG(state);
    }
}

tn_status tn_cpu_process_run(const tn_cpu_process *process, tn_strbuf *out_output,
                             tn_cpu_process_end *out_end) {
    *out_end = (tn_cpu_process_end){.exit_code = -1};
    int pipe_fds[2];
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return tn_status_from_errno(errno, "cannot make a pipe for %s", process->argv[0]);
    pid_t pid = 0;
    int error = spawn(process, pipe_fds[1], &pid);
    close(pipe_fds[1]);
    if (error) {
        close(pipe_fds[0]);
        return tn_status_from_errno(error, "cannot start %s", process->argv[0]);
    }
    fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
    int pidfd = open_pidfd(pid);
    out_end->timed_out = !watch(process, pipe_fds[0], pidfd, out_output);
    if (out_end->timed_out) kill(-pid, SIGKILL);
    reap(pid, out_end);
    if (pidfd >= 0) close(pidfd);
    close(pipe_fds[0]);
    return tn_strbuf_status(out_output);
}
