// Runs before the page: notes each element, attribute and call that the page has not of its own.
(() => {
  const OWN = new Set(("a aside b bdi blockquote body br button circle code dd dialog div dl dt fieldset footer form g h1 h2 h3 h4 head header hr html i input kbd " +
    "label legend li link main meta nav noscript ol option p path pattern pre rect script section select small span strong svg symbol table tbody td text textarea th " +
    "thead time title tr ul use wbr").split(" "));
  const PLACES = /^(#|((icons|css|base|draw|live|parts|places|vendor)\/[\w./-]+|app\.js|tokens\.css)$)/;
  const ADDRESSES = new Set("href src action formaction data poster srcset ping background xlink:href".split(" "));
  const bad = [];
  window.__bad = bad;
  const note = (what) => bad.length < 50 && bad.push(what);
  const check = (element) => {
    const name = element.localName;
    if (!OWN.has(name)) note(`<${name}>`);
    if (name === "script" && element.getAttribute("src") !== "app.js") note("a script");
    if (name === "form" && element.getAttribute("aria-label") === null && !element.matches(".say-it")) note("a form");
    for (const { name: attribute, value } of element.attributes) {
      if (/^on|^(srcdoc|contenteditable|http-equiv|is|slot)$/i.test(attribute)) note(`<${name} ${attribute}>`);
      if (ADDRESSES.has(attribute) && !PLACES.test(value)) note(`<${name} ${attribute}=${value}>`);
      if (attribute === "style" && /url|expression|fixed/i.test(value)) note(`<${name} style=${value}>`);
    }
  };
  const look = (node) => {
    if (node.nodeType !== 1) return;
    check(node);
    for (const below of node.querySelectorAll("*")) check(below);
  };
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) if (type === "attributes") check(target); else addedNodes.forEach(look);
  }).observe(document, { subtree: true, childList: true, attributes: true });
  for (const name of ["alert", "confirm", "prompt", "open", "eval", "print"]) window[name] = () => note(`${name}()`);
  document.write = () => note("document.write()");
  /** What is not as it should be, since the page began. */
  window.__found = () => {
    const found = [...bad];
    if ("__hit" in window) found.push("a payload ran");
    if ("polluted" in {}) found.push("a prototype was changed");
    for (const { name } of performance.getEntriesByType("resource")) if (new URL(name).origin !== location.origin) found.push(`it asked ${name}`);
    performance.clearResourceTimings();
    return found;
  };
})();
