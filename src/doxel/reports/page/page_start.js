// Starts the page: the chooser of the measure, and the current section in the bar.  Runs last.
{
  const chooser = byId("measure");
  chooser.replaceChildren(
    ...report.measures.map((label, place) =>
      h("option", { value: place, selected: place === state.measure }, label),
    ),
  );
  chooser.addEventListener("change", () => {
    state.measure = Number(chooser.value);
    redrawAll();
  });
  byId("bar").hidden = false;
  const links = new Map(
    [...document.querySelectorAll("#bar a")].map((link) => [link.getAttribute("href").slice(1), link]),
  );
  const observer = new IntersectionObserver(
    (entries) =>
      entries.forEach((entry) => {
        if (entry.isIntersecting)
          links.forEach((link, id) =>
            id === entry.target.id
              ? link.setAttribute("aria-current", "true")
              : link.removeAttribute("aria-current"),
          );
      }),
    { rootMargin: "-30% 0px -65% 0px" },
  );
  links.forEach((_, id) => {
    const node = byId(id);
    if (node) observer.observe(node);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
  });
  document.documentElement.dataset.ready = "true";
}
