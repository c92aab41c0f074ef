// Search over items and answers; what is searched stands in the page.
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
  field.addEventListener("input", search);
  search();
})();
