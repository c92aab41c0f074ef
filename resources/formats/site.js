// Search over items and answers; what is searched stands in the page, and the words of the search in the address.
(() => {
  const words = JSON.parse(document.getElementById("words").textContent);
  const rows = [...document.getElementById("items").tBodies[0].rows];
  const field = document.querySelector("#search input");
  const count = document.querySelector("#search output");
  const search = () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, place) => {
      row.hidden = !wanted.every((word) => words[place].includes(word));
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = `${shown} of ${rows.length}`;
  };
  const prefix = "#search=";
  const take = () => {
    if (location.hash.startsWith(prefix)) field.value = decodeURIComponent(location.hash.slice(prefix.length));
    search();
  };
  field.addEventListener("input", () => {
    // The part behind "#" can change in a file that was opened from a disk, too.
    const words = field.value.trim();
    history.replaceState(null, "", words ? prefix + encodeURIComponent(words) : location.pathname + location.search);
    search();
  });
  window.addEventListener("hashchange", take);
  take();
})();
