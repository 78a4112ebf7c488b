// A Worker that does nothing, to measure the base cost of a request in workerd.
export default { fetch: () => Response.json({}) };
