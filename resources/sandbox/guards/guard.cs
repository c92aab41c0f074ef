using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Threading;

/// <summary>
/// Reads the nonce, runs the Main of the tests in a thread of its own, and gives the nonce back only if that returns 0
/// or the tests leave with 0. Then it ends the process itself.
/// </summary>
static class AnnotatorGuardANNOTATOR_KEY
{
    const int Stack = 64 * 1024 * 1024;
    static readonly BlockingCollection<object> ends = new BlockingCollection<object>();
    static bool assertionFailed;

    sealed class Listener : DefaultTraceListener
    {
        public override void Fail(string message) { Fail(message, null); }

        public override void Fail(string message, string detail)
        {
            assertionFailed = true;
            throw new Exception(("Debug.Assert failed " + message + " " + detail).Trim());
        }
    }

    static int Main(string[] arguments)
    {
        string nonce;
        using (var reader = new StreamReader("/proc/self/fd/3")) nonce = reader.ReadToEnd();
        var listener = new Listener();
        Debug.Listeners.Clear();
        Debug.Listeners.Add(listener);
        var main = FindMain(arguments[0]);
        var thread = new Thread(() => ends.Add(Run(main)), Stack);
        thread.IsBackground = true;
        thread.Start();
        object end = ends.Take();
        Console.Out.Flush();
        int status = end is int ? (int)end & 255 : 1;
        if (end is Exception) Console.Error.WriteLine(end);
        if (status == 0 && (assertionFailed || !Debug.Listeners.Contains(listener)))
        {
            Console.Error.WriteLine("Debug.Assert failed, or is switched off");
            status = 1;
        }
        if (status == 0) File.WriteAllText("/proc/self/fd/4", nonce);
        Environment.Exit(status);
        return status;
    }

    static MethodInfo FindMain(string name)
    {
        const BindingFlags any = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
        return Assembly.GetExecutingAssembly().GetType(name, true).GetMethod("Main", any);
    }

    static object Run(MethodInfo main)
    {
        try
        {
            object result = main.Invoke(null, main.GetParameters().Length == 0 ? null : new object[] { new string[0] });
            var task = result as System.Threading.Tasks.Task;
            if (task != null)
            {
                task.GetAwaiter().GetResult();
                var value = task as System.Threading.Tasks.Task<int>;
                result = value == null ? 0 : value.Result;
            }
            return result is int ? result : 0;
        }
        catch (TargetInvocationException thrown)
        {
            return thrown.InnerException;
        }
        catch (Exception thrown)
        {
            return thrown;
        }
    }

    /// <summary>What Environment.Exit is to the tests.</summary>
    public static void Exit(int status)
    {
        ends.Add(status);
        Thread.Sleep(Timeout.Infinite);
    }
}
