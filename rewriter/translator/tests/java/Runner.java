import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;

/** Prints what each method of some classes gives for each line of a file: class, method, line number, and `=` with the result or `!` with the exception. */
public final class Runner {
    private Runner() {}

    /** The file, then the classes. */
    public static void main(String[] args) throws Exception {
        String[] inputs = Files.readString(Path.of(args[0])).split("\n", -1);
        StringBuilder out = new StringBuilder();
        for (int c = 1; c < args.length; c++) {
            Method[] methods = Class.forName(args[c]).getDeclaredMethods();
            Arrays.sort(methods, Comparator.comparing(Method::getName));
            for (Method method : methods) {
                boolean takesText = Arrays.equals(method.getParameterTypes(), new Class<?>[] {String.class});
                if (!takesText || method.getReturnType() != String.class || method.isSynthetic()
                        || java.lang.reflect.Modifier.isPrivate(method.getModifiers())) {
                    continue;
                }
                method.setAccessible(true);
                for (int i = 0; i < inputs.length; i++) {
                    out.append(args[c]).append('\t').append(method.getName()).append('\t').append(i).append('\t');
                    try {
                        Object result = method.invoke(null, inputs[i]);
                        out.append('=').append(result);
                    } catch (InvocationTargetException e) {
                        out.append('!').append(e.getCause().getClass().getName());
                    }
                    out.append('\n');
                }
            }
        }
        System.out.write(out.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}
