const __same = (a__T__, b__T__, close__B__)__B__ => {
  if (a === null || b === null || a === undefined || b === undefined) return (a ?? null) === (b ?? null);
  if (typeof a === 'number' && typeof b === 'number')
    return close ? Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(b)) : a === b;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((x__T__, n__T__) => __same(x, b[n], close));
  if (a instanceof Map) a = Object.fromEntries(a);
  if (typeof a === 'object' && typeof b === 'object' && !Array.isArray(a) && !Array.isArray(b)) {
    const names = Object.keys(b);
    return Object.keys(a).length === names.length && names.every((k) => k in a && __same(a[k], b[k], close));
  }
  return a === b;
};
const __unordered = (a__T__, b__T__)__B__ => {
  const rest = [...b];
  for (const x of a) {
    const place = rest.findIndex((y__T__) => __same(x, y, false));
    if (place < 0) return false;
    rest.splice(place, 1);
  }
  return rest.length === 0;
};
