// Return a function that does what another does, but for one respect in which its result is changed.
// With `isTold` it ends the program where it would change something.
function annotator_changed(called, kind, isTold) {
  const tell = () => {
    if (isTold) process.exit(1);
  };
  const differ = (value) => {
    const same = (one, other) => one.length === other.length && [...one].every((item, at) => Object.is(item, other[at]));
    if (Array.isArray(value) || typeof value === 'string') {
      const isText = typeof value === 'string';
      let other = value;
      if (kind === 'order' && !isText) other = [...value].reverse();
      if (kind === 'empty_end' && !isText && ['', null, undefined].includes(value.at(-1))) other = value.slice(0, -1);
      if (kind === 'shorter') other = value.slice(0, -1);
      if (kind === 'longer' && value.length) other = isText ? value + value.at(-1) : [...value, value.at(-1)];
      if (kind === 'case' && isText) other = value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
      if (!same(value, other)) tell();
      return other;
    }
    if (kind === 'number' && typeof value === 'number' && Number.isFinite(value)) {
      tell();
      return Number.isInteger(value) ? value + 1 : value + 0.1;
    }
    return value;
  };
  const fail = (error) => {
    if (kind !== 'error') throw error;
    tell();
    throw Object.assign(Object.create({ name: 'OtherError' }), { message: String(error && error.message) });
  };
  return function changed(...given) {
    let value;
    try {
      value = called.apply(this, given);
    } catch (error) {
      fail(error);
    }
    if (kind === 'arguments') {
      for (const item of given) {
        const isPlain = item && item !== value && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(item));
        if (!isPlain || !Object.keys(item).length || Object.isFrozen(item)) continue;
        tell();
        if (Array.isArray(item)) item.length = 0;
        else for (const name of Object.keys(item)) delete item[name];
      }
    }
    return value instanceof Promise ? value.then(differ, fail) : differ(value);
  };
}
