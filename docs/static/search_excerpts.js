// An entry of the index is an empty element before a heading: its excerpt is the text of the section.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const { htmlToText } = Search;
  Search.htmlToText = (html, anchor) => {
    if (!anchor?.startsWith("#index-")) return htmlToText(html, anchor);
    const entry = new DOMParser().parseFromString(html, "text/html").querySelector(anchor);
    const section = entry?.closest("section");
    section?.querySelectorAll(".headerlink").forEach((link) => link.remove());
    return section?.textContent.trim() ?? "";
  };
});
