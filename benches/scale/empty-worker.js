// A Worker that does nothing: what any request costs in workerd.
export default { fetch: () => Response.json({}) };
