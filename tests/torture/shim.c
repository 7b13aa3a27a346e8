/* Loaded into every process of a run by LD_PRELOAD: counts the changes of files, and obeys torture.

   Accidents at random times miss the moments that matter: a push takes a hundredth of a second of a
   run. So torture numbers the changes of files instead, and stops the run before the n-th. The same
   library makes each change slow, and makes the clock jump, for Python and native code alike.

   The control page is a file that shim.py maps too. All fields are 64-bit integers but the last. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct control {
    _Atomic int64_t changes;      /* changes of files so far, of all processes */
    _Atomic int64_t freeze_at;    /* the change before which the run stops; 0: never */
    _Atomic int64_t frozen;       /* the process that waits there; torture sets 0 to release it */
    _Atomic int64_t delay_us;     /* microseconds that each change is delayed */
    _Atomic int64_t clock_offset; /* seconds by which the clock is wrong */
    char place[472];              /* the change before which the run stopped */
};

static struct control *control;
static char root[PATH_MAX]; /* only changes below this directory count */

__attribute__((constructor)) static void attach(void)
{
    const char *page = getenv("TORTURE_CONTROL"), *directory = getenv("TORTURE_ROOT");
    if (!page || !directory)
        return;
    int fd = open(page, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    snprintf(root, sizeof root, "%s/", directory);
    void *map = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map != MAP_FAILED)
        control = map;
}

static void sleep_us(int64_t us)
{
    struct timespec left = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&left, NULL);
}

/* Logs are left out: their lines outnumber everything else. */
static int counts(const char *path)
{
    return !strncmp(path, root, strlen(root)) && !strstr(path, ".log") &&
           !strstr(path, "events.jsonl");
}

static void before_change(const char *verb, const char *path)
{
    char absolute[2 * PATH_MAX];
    if (!control)
        return;
    if (path[0] != '/' && getcwd(absolute, PATH_MAX)) {
        size_t length = strlen(absolute);
        snprintf(absolute + length, sizeof absolute - length, "/%s", path);
        path = absolute;
    }
    if (!counts(path))
        return;
    int64_t delay = atomic_load(&control->delay_us);
    if (delay > 0)
        sleep_us(delay);
    if (atomic_fetch_add(&control->changes, 1) + 1 != atomic_load(&control->freeze_at))
        return;
    snprintf(control->place, sizeof control->place, "%s %s", verb, path + strlen(root));
    atomic_store(&control->frozen, getpid());
    kill(getpid(), SIGSTOP);
    /* Another thread may take the signal a moment later. */
    while (atomic_load(&control->frozen) == getpid())
        sleep_us(500);
}

static void before_change_of_fd(const char *verb, int fd)
{
    char link[64], path[PATH_MAX];
    if (!control)
        return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = 0;
    before_change(verb, path);
}

static void before_change_at(const char *verb, int directory, const char *name)
{
    char link[64], path[2 * PATH_MAX];
    if (!control)
        return;
    if (name[0] == '/' || directory == AT_FDCWD) {
        before_change(verb, name);
        return;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0)
        return;
    snprintf(path + length, sizeof path - length, "/%s", name);
    before_change(verb, path);
}

#define REAL(result, name, ...)                                                                    \
    static result (*real)(__VA_ARGS__);                                                            \
    if (!real)                                                                                     \
        real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

#define DEFINE_OPEN(name)                                                                          \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        REAL(int, #name, const char *, int, ...);                                                  \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                    \
        va_end(rest);                                                                              \
        if (flags & WRITES)                                                                        \
            before_change("open", path);                                                           \
        return real(path, flags, mode);                                                            \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name)                                                                        \
    int name(int directory, const char *path, int flags, ...)                                      \
    {                                                                                              \
        REAL(int, #name, int, const char *, int, ...);                                             \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                    \
        va_end(rest);                                                                              \
        if (flags & WRITES)                                                                        \
            before_change_at("open", directory, path);                                             \
        return real(directory, path, flags, mode);                                                 \
    }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

#define DEFINE_FOPEN(name)                                                                         \
    FILE *name(const char *path, const char *mode)                                                 \
    {                                                                                              \
        REAL(FILE *, #name, const char *, const char *);                                           \
        if (mode[0] != 'r' || strchr(mode, '+'))                                                   \
            before_change("open", path);                                                           \
        return real(path, mode);                                                                   \
    }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

ssize_t write(int fd, const void *bytes, size_t count)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    before_change_of_fd("write", fd);
    return real(fd, bytes, count);
}

#define DEFINE_PWRITE(name, offset_type)                                                           \
    ssize_t name(int fd, const void *bytes, size_t count, offset_type offset)                      \
    {                                                                                              \
        REAL(ssize_t, #name, int, const void *, size_t, offset_type);                              \
        before_change_of_fd("write", fd);                                                          \
        return real(fd, bytes, count, offset);                                                     \
    }
DEFINE_PWRITE(pwrite, off_t)
DEFINE_PWRITE(pwrite64, off64_t)

#define DEFINE_TRUNCATE(name, offset_type)                                                         \
    int name(int fd, offset_type length)                                                           \
    {                                                                                              \
        REAL(int, #name, int, offset_type);                                                        \
        before_change_of_fd("truncate", fd);                                                       \
        return real(fd, length);                                                                   \
    }
DEFINE_TRUNCATE(ftruncate, off_t)
DEFINE_TRUNCATE(ftruncate64, off64_t)

#define DEFINE_SYNC(name)                                                                          \
    int name(int fd)                                                                               \
    {                                                                                              \
        REAL(int, #name, int);                                                                     \
        before_change_of_fd("sync", fd);                                                           \
        return real(fd);                                                                           \
    }
DEFINE_SYNC(fsync)
DEFINE_SYNC(fdatasync)

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    before_change("rename to", to);
    return real(from, to);
}

int link(const char *from, const char *to)
{
    REAL(int, "link", const char *, const char *);
    before_change("link", to);
    return real(from, to);
}

int symlink(const char *target, const char *path)
{
    REAL(int, "symlink", const char *, const char *);
    before_change("link", path);
    return real(target, path);
}

int unlink(const char *path)
{
    REAL(int, "unlink", const char *);
    before_change("remove", path);
    return real(path);
}

int unlinkat(int directory, const char *path, int flags)
{
    REAL(int, "unlinkat", int, const char *, int);
    before_change_at("remove", directory, path);
    return real(directory, path, flags);
}

int rmdir(const char *path)
{
    REAL(int, "rmdir", const char *);
    before_change("remove", path);
    return real(path);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", const char *, mode_t);
    before_change("make", path);
    return real(path, mode);
}

/* The clock. Times of files come from the kernel, whose clock is right. */

static int64_t offset(void) { return control ? atomic_load(&control->clock_offset) : 0; }

int clock_gettime(clockid_t clock, struct timespec *now)
{
    REAL(int, "clock_gettime", clockid_t, struct timespec *);
    int result = real(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    REAL(int, "gettimeofday", struct timeval *, void *);
    int result = real(now, zone);
    if (result == 0)
        now->tv_sec += offset();
    return result;
}

time_t time(time_t *place)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place)
        *place = now.tv_sec;
    return now.tv_sec;
}

/* A deadline that was reckoned from the wrong clock is given to a kernel that has the right one.
   A deadline of the monotonic clock is a machine's uptime, far below 1e9 seconds. */
static struct timespec correct(const struct timespec *deadline)
{
    struct timespec corrected = *deadline;
    if (corrected.tv_sec > 500000000)
        corrected.tv_sec -= offset();
    return corrected;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict deadline)
{
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    /* Without a version, dlsym may find the condition variables of 1997, which are laid out
       otherwise. */
    if (!real)
        *(void **)&real = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec corrected = correct(deadline);
    return real(condition, mutex, &corrected);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline)
{
    REAL(int, "sem_timedwait", sem_t *, const struct timespec *);
    struct timespec corrected = correct(deadline);
    return real(semaphore, &corrected);
}

/* TensorFlow's own locks wait here, and not in the functions above. */
long syscall(long number, ...)
{
    REAL(long, "syscall", long, ...);
    long argument[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(rest, long);
    va_end(rest);
    struct timespec corrected;
    if (number == SYS_futex && argument[3] &&
        (argument[1] & ~FUTEX_PRIVATE_FLAG) == (FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME)) {
        corrected = correct((const struct timespec *)argument[3]);
        argument[3] = (long)&corrected;
    }
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                argument[5]);
}
