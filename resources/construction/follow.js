// Follow and make calls of a JavaScript function (inside the sandbox). NONCE is put in before it is run.
const annotatorFollow = (() => {
  const deepest = 20;
  let depth = 0;
  let steps = 0;
  let places = new Set();

  const form = (value, level = 0) => {
    if (level > deepest) throw new Error("unsupported");
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "number" && Number.isFinite(value)) {
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : { $f: String(value) };
    }
    if (Array.isArray(value)) return Array.from(value, (item) => form(item, level + 1));
    const kind = typeof value === "object" ? Object.getPrototypeOf(value) : undefined;
    // Objects of another realm have another prototype: their constructor's name tells what they are.
    if (kind === null || (kind && Object.getPrototypeOf(kind) === null && kind.constructor.name === "Object")) {
      return { $d: Object.keys(value).sort().map((key) => [key, form(value[key], level + 1)]) };
    }
    throw new Error("unsupported");
  };

  const text = (value) => {
    try {
      return JSON.stringify(form(value));
    } catch {
      return null;
    }
  };

  const say = (row) => console.log("\nNONCE" + JSON.stringify(row));

  const follow = (own, given) => {
    if (depth) return own(...given);
    const before = text(given);
    depth += 1;
    steps = 0;
    places = new Set();
    let out;
    let raised = "";
    try {
      out = own(...given);
      return out;
    } catch (error) {
      raised = (error && error.name) || "Error";
      throw error;
    } finally {
      depth -= 1;
      const output = raised ? "null" : text(out);
      if (before !== null && output !== null) {
        say({
          arguments: JSON.parse(before), output: JSON.parse(output), raises: raised, steps,
          places: [...places], mutated: text(given) !== before,
        });
      }
    }
  };

  const at = (place) => {
    steps += 1;
    places.add(place);
  };

  const make = (entry, calls, milliseconds, vm) => {
    globalThis.annotatorEntry = entry;
    calls.forEach((given, number) => {
      globalThis.annotatorGiven = given;
      try {
        const out = text(vm.runInThisContext("annotatorEntry(...annotatorGiven)", { timeout: milliseconds }));
        say(out === null ? { number, unsupported: true } : { number, output: JSON.parse(out) });
      } catch (error) {
        const late = error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
        say(late ? { number, timeout: true } : { number, raises: (error && error.name) || "Error" });
      }
    });
  };

  return { follow, at, make };
})();
