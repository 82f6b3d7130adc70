"use strict";
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const shown = document.getElementById("shown");
  const findings = [...document.querySelectorAll("#list > article")];
  const texts = findings.map((finding) => finding.textContent.toLowerCase());
  // What an entry tells together may be of several services, and mended in several ways.
  const holds = (finding, name, value) =>
    name === "service" || name === "fix"
      ? JSON.parse(finding.dataset[name]).includes(value)
      : finding.dataset[name] === value;
  const problems = (entries) =>
    entries.reduce((sum, entry) => sum + Number(entry.dataset.problems), 0);

  const apply = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const severities = new Set(
      [...form.querySelectorAll("[name=severity]:checked")].map((box) => box.value),
    );
    const wanted = ["rule", "kind", "service", "fix"]
      .filter((name) => form.elements[name] && form.elements[name].value)
      .map((name) => [name, form.elements[name].value.slice(1)]);
    findings.forEach((finding, index) => {
      const fits =
        severities.has(finding.dataset.severity) &&
        wanted.every(([name, value]) => holds(finding, name, value)) &&
        words.every((word) => texts[index].includes(word));
      finding.hidden = !fits;
    });
    const all = problems(findings);
    const count = problems(findings.filter((finding) => !finding.hidden));
    shown.textContent = count === all ? `All ${all} shown.` : `${count} of ${all} shown.`;
  };

  form.addEventListener("input", apply);
  form.querySelector("button").addEventListener("click", () => {
    form.reset();
    apply();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      form.elements.words.focus();
    }
  });
  apply();
})();
