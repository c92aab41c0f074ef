using System;
using System.IO;
using System.Reflection;

/// <summary>Reads the nonce, calls the program's own Main, and writes the nonce back only if it returns 0.</summary>
static class AnnotatorGuard
{
    static int Main()
    {
        string nonce;
        using (var reader = new StreamReader("/proc/self/fd/3")) nonce = reader.ReadToEnd();
        foreach (var type in Assembly.GetExecutingAssembly().GetTypes())
        {
            if (type == typeof(AnnotatorGuard)) continue;
            var main = type.GetMethod("Main", BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic);
            if (main == null) continue;
            object result;
            try
            {
                result = main.Invoke(null, main.GetParameters().Length == 0 ? null : new object[] { new string[0] });
                var task = result as System.Threading.Tasks.Task;
                if (task != null) { task.Wait(); result = 0; }
            }
            catch (TargetInvocationException thrown)
            {
                Console.Out.Flush();
                Console.Error.WriteLine(thrown.InnerException);
                return 1;
            }
            Console.Out.Flush();
            int status = result is int ? (int)result : 0;
            if (status == 0) File.WriteAllText("/proc/self/fd/4", nonce);
            return status;
        }
        Console.Error.WriteLine("there is no Main");
        return 1;
    }
}
