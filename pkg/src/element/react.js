// @ts-check
"use client";
// For React 18 and newer: the element as a component, and a catalog as a hook. Neither holds the application while the
// WebAssembly is fetched.
import { createElement, forwardRef, useEffect, useImperativeHandle, useRef, useState } from "react";
import init, { Sieve } from "../../loaders/init.js";
import "./picker.js";

/** The state while there is nothing, or nothing yet. */
const NONE = {};
/** Depth to which two list results are compared: tools are compared as objects, not by their members. */
const LISTS_DEPTH = 2;

export function useSieve(lists, config, { tags } = /** @type {{ tags?: any }} */ (NONE)) {
  const source = useStable(lists ?? undefined, LISTS_DEPTH);
  const settings = useStable(config ?? undefined, Infinity);
  const own = useStable(tags ?? undefined, Infinity);
  const [state, set] = useState(NONE);
  /** The sieve of the state, and what it was compiled from beside the lists. */
  const shown = useRef(/** @type {any} */ (NONE));
  useEffect(() => {
    if (source === undefined) return set(NONE);
    let current = true;
    const compile = () => {
      if (!current) return;
      const sieve = Sieve.compile(source, settings, { tags: own });
      const { sieve: before, ...beside } = shown.current;
      // The hash of a catalog does not depend on its servers.
      const servers = JSON.stringify([source].flat().map(({ server, prefix }) => [server, prefix]));
      // Lists that each render makes anew would otherwise cause the next render.
      const isSame = before?.hash === sieve.hash && beside.servers === servers;
      if (isSame && beside.settings === settings && beside.own === own) return sieve.free();
      shown.current = { sieve, settings, own, servers };
      set({ sieve });
    };
    init()
      .then(compile)
      .catch((error) => current && set({ error }));
    return () => {
      current = false;
    };
  }, [source, settings, own]);
  // A sieve is freed once another is shown in its place, or the component is gone or hidden.
  useEffect(
    () => () => {
      if (shown.current.sieve === state.sieve) shown.current = NONE;
      set((now) => (now === state ? NONE : now));
      state.sieve?.free();
    },
    [state],
  );
  return state;
}

export const SievePicker = forwardRef(function SievePicker(
  /** @type {any} */ {
    sieve,
    lists,
    config,
    error,
    filter,
    presets,
    labels,
    preferences,
    thresholds,
    onChange,
    onBudget,
    className,
    disabled,
    budget,
    maxTools,
    maxTokens,
    ...attributes
  },
  ref,
) {
  const element = useRef(/** @type {any} */ (null));
  useImperativeHandle(ref, () => element.current, []);
  const own = useSieve(sieve ? undefined : lists, config, { tags: preferences?.tags });
  const shown = sieve ?? own.sieve;
  const problem = (error ?? own.error)?.message;
  useEffect(() => {
    const { current } = element;
    current.sieve = shown;
    // Frees what the choice holds of the engine's memory; the element keeps the filter, for the next sieve.
    return () => {
      current.sieve = undefined;
    };
  }, [shown]);
  useEffect(() => {
    element.current.error = problem;
  }, [problem]);
  useEffect(() => {
    element.current.presets = presets;
  }, [presets]);
  useEffect(() => {
    element.current.labels = labels;
  }, [labels]);
  useEffect(() => {
    element.current.thresholds = thresholds;
  }, [thresholds]);
  useEffect(() => {
    element.current.preferences = preferences;
  }, [preferences]);
  const wanted = filter && JSON.stringify(filter);
  useEffect(() => {
    // A filter that was refused before has left its error.
    element.current.error = problem;
    if (wanted === undefined || wanted === element.current.value) return;
    try {
      element.current.filter = wanted;
    } catch (error) {
      element.current.error = error;
    }
  }, [wanted, problem]);
  useEffect(() => {
    const listener = (event) => onChange?.(event.detail.filter, event);
    const { current } = element;
    current.addEventListener("change", listener);
    return () => current.removeEventListener("change", listener);
  }, [onChange]);
  useEffect(() => {
    const listener = (event) => onBudget?.(event.detail, event);
    const { current } = element;
    current.addEventListener("budget", listener);
    return () => current.removeEventListener("budget", listener);
  }, [onBudget]);
  // React 18 writes any property of a custom element as an attribute: `false`, and `className`.
  return createElement("mcp-sieve-picker", {
    ref: element,
    class: className,
    disabled: disabled || undefined,
    budget: budget || undefined,
    "max-tools": maxTools,
    "max-tokens": maxTokens,
    ...attributes,
  });
});

/** The value of the render before, if this one says the same: `lists={{ tools }}` is a new object in every render. */
function useStable(value, depth) {
  const kept = useRef(value);
  if (!same(kept.current, value, depth)) kept.current = value;
  return kept.current;
}

function same(one, other, depth) {
  if (Object.is(one, other)) return true;
  if (
    depth === 0 ||
    typeof one !== "object" ||
    typeof other !== "object" ||
    one === null ||
    other === null ||
    ArrayBuffer.isView(one)
  )
    return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    Array.isArray(one) === Array.isArray(other) &&
    names.every((name) => same(one[name], other[name], depth - 1))
  );
}
