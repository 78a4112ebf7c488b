"use client";
// A wrapper for React 18 and newer: properties go to the element as they are.
import { createElement, useEffect, useRef } from "react";
import "./picker.js";

export function SievePicker({ sieve, filter, presets, labels, preferences, onChange, className, disabled, ...attributes }) {
  const element = useRef(null);
  useEffect(() => {
    const { current } = element;
    current.sieve = sieve;
    // What the choice holds of the engine's memory is given back; the element keeps the filter, should it come again.
    return () => { current.sieve = undefined; };
  }, [sieve]);
  useEffect(() => { if (presets) element.current.presets = presets; }, [presets]);
  useEffect(() => { if (labels) element.current.labels = labels; }, [labels]);
  useEffect(() => { element.current.preferences = preferences; }, [preferences]);
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
  // React 18 writes down for an element that it does not know whatever it is given: `false`, and `className`.
  return createElement("mcp-sieve-picker", { ref: element, class: className, disabled: disabled || undefined, ...attributes });
}
