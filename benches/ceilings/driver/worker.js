// A Worker that sends requests to one object, as isolates do. It runs in the process of the Worker that has the object.
export default {
  /**
   * Sends requests from `width` lanes, until `count` are sent or `ms` milliseconds are over. In the body, NUMBER is
   * replaced by the number of the request, from `first` on. Returns how many were answered, and the milliseconds.
   */
  async fetch(request, env) {
    const { binding, name, path, method = "POST", body, first = 0, count = Infinity, width, ms } = await request.json();
    const object = env[binding].getByName(name);
    const began = Date.now();
    let [sent, answered] = [0, 0];
    const lane = async () => {
      while (sent < count && Date.now() - began < ms) {
        const text = body?.replaceAll("NUMBER", String(first + sent++));
        const response = await object.fetch(`https://object${path}`, { method, body: text });
        const answer = await response.arrayBuffer();
        if (response.status !== 200)
          throw new Error(`${path}: ${response.status} ${new TextDecoder().decode(answer).slice(0, 200)}`);
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: width }, lane));
    return Response.json({ answered, ms: Date.now() - began });
  },
};
