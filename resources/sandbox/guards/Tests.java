
/** Runs tests in a thread of its own, so that they can leave without ending the process: only its guard does that. */
final class AnnotatorTestsANNOTATOR_KEY {
    private static final java.util.concurrent.BlockingQueue<Object> ends = new java.util.concurrent.LinkedBlockingQueue<>();
    private static volatile int ran;

    public static void main(String[] arguments) throws Throwable {
        Thread thread = new Thread(() -> {
            Object end = 0;
            try {
                ran = run();
            } catch (Throwable thrown) {
                end = thrown;
            }
            ends.add(end);
        }, "main");
        thread.setDaemon(true);
        thread.start();
        Object end = ends.take();
        if (end instanceof Throwable) throw (Throwable) end;
        if (!AnnotatorTestsANNOTATOR_KEY.class.desiredAssertionStatus()) throw new AssertionError("assertions were switched off");
        if (!end.equals(0)) {
            System.out.flush();
            Runtime.getRuntime().halt((Integer) end);
        }
        arguments[0] = String.valueOf(ran);
        endAfter(Thread.currentThread());
    }

    /** Ends the process once the guard, which called main, is done: threads of the program may never end. */
    private static void endAfter(Thread guard) {
        Thread last = new Thread(() -> {
            try {
                guard.join();
            } catch (InterruptedException ignored) {
                Thread.currentThread().interrupt();
            }
            System.out.flush();
            Runtime.getRuntime().halt(0);
        });
        last.setDaemon(true);
        last.start();
    }

    static void exit(int status) {
        ran = 1;
        ends.add(status);
        for (;;) java.util.concurrent.locks.LockSupport.park();
    }

    private static int run() throws Throwable {
        /* statements */
    }
}
