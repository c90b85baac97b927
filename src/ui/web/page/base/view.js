// What every part draws with. Templates are parsed once by htm; preact puts all values in as text nodes.
import { h, render, Fragment } from "../vendor/preact.js";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback, useErrorBoundary } from "../vendor/hooks.js";
import { signal, computed, effect, batch, untracked } from "../vendor/signals.js";
import htm from "../vendor/htm.js";

const html = htm.bind(h);

export {
  h, html, render, Fragment, useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback, useErrorBoundary,
  signal, computed, effect, batch, untracked,
};
