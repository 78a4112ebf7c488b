// What differs between any two runs: times, and the ids of sessions, requests and tasks.

/** Replaces it in a text. */
export const steady = (text) =>
  text
    .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, "ID")
    .replaceAll(/\b[\da-f]{32}\b/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\d\d?:\d\d:\d\d( [AP]M)?/g, "TIME");
