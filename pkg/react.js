// A wrapper for React 18 and newer: properties go to the element as they are.
import { createElement, useEffect, useRef } from "react";
import "./picker.js";

export function SievePicker({ sieve, filter, presets, labels, onChange, ...attributes }) {
  const element = useRef(null);
  useEffect(() => { element.current.sieve = sieve; }, [sieve]);
  useEffect(() => { if (presets) element.current.presets = presets; }, [presets]);
  useEffect(() => { if (labels) element.current.labels = labels; }, [labels]);
  const wanted = filter && JSON.stringify(filter);
  useEffect(() => {
    if (wanted !== undefined && wanted !== element.current.value) element.current.filter = wanted;
  }, [wanted]);
  useEffect(() => {
    const listener = (event) => onChange?.(event.detail.filter, event);
    const { current } = element;
    current.addEventListener("change", listener);
    return () => current.removeEventListener("change", listener);
  }, [onChange]);
  return createElement("mcp-sieve-picker", { ref: element, ...attributes });
}
