// A Worker that uses only the package: it counts and lists what a posted filter selects from posted lists.
import { Sieve, SieveError } from "mcp-sieve";

export default {
  async fetch(request) {
    const { lists, filter } = await request.json();
    try {
      const sieve = Sieve.compile(lists);
      const narrow = sieve.filter(filter);
      const answer = Response.json({
        count: sieve.count({ filter: narrow }),
        indices: [...sieve.select({ filter: narrow }).indices],
        list: await new Response(sieve.list({ filter: narrow })).json(),
      });
      sieve.free();
      return answer;
    } catch (error) {
      if (!(error instanceof SieveError)) throw error;
      return Response.json({ code: error.code, path: error.path }, { status: 400 });
    }
  },
};
