// A field above the tables of functions: shows the rows that have all of its words.
document.addEventListener("DOMContentLoaded", () => {
  const page = document.getElementById("where-each-function-runs");
  if (!page) return;
  const modules = [...page.querySelectorAll(":scope > section")];
  const field = document.createElement("input");
  const shown = document.createElement("p");
  Object.assign(field, { type: "search", className: "form-control" });
  field.placeholder = "Filter: a name, a dtype, a reason, or kernel, CPU";
  field.setAttribute("aria-label", "Filter functions");
  shown.setAttribute("role", "status");
  const filter = document.createElement("div");
  filter.className = "functions-filter";
  filter.append(field, shown);
  modules[0].before(filter);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const module of modules) {
      let found = 0;
      for (const row of module.querySelectorAll("tbody tr")) {
        const text = `${module.id} ${row.textContent}`.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        found += !row.hidden;
      }
      module.hidden = !found;
      count += found;
    }
    shown.textContent = words.length ? `${count} functions` : "";
  });
});
