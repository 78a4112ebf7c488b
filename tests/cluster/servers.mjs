// The servers behind the nodes, and the configuration that all nodes have. Every server is a real one: the example tracker in
// workerd, server-everything, two on the official SDK, of which one has a list that changes and the other tasks, and one that
// demands a sign-in.
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { startAuthorizationServer } from "../support/authorization-server.mjs";
import { startEverything } from "../support/everything.mjs";
import { startProtectedServer } from "../support/protected-server.mjs";
import { startEndpoints } from "../support/session-endpoints.mjs";
import { digest, tokensVariable } from "../support/tokens.mjs";
import { startWorker } from "../support/workerd.mjs";

export const OPERATOR = "operator-of-the-cluster";
/** Users of the gateway. Each has the token `NAME-token`. */
export const USERS = ["alice", ...Array.from({ length: 40 }, (_, at) => `user-${at}`)];
/** Wait for a server that has never been listed, in milliseconds. This machine is busy, and a test is not patient without end. */
const LIST_WAIT_MS = 3_000;
const DAY_MS = 86_400_000;
const text = (said) => ({ content: [{ type: "text", text: said }] });

/** A server whose tool `toggle` adds the tool `extra` for all sessions, and then removes it. */
function changing() {
  let listed = false;
  const tool = (name) => ({ name, inputSchema: { type: "object" } });
  return () => {
    const server = new Server({ name: "changing", version: "1" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: ["toggle", ...(listed ? ["extra"] : [])].map(tool),
    }));
    server.setRequestHandler(CallToolRequestSchema, async (_, { sendNotification }) => {
      listed = !listed;
      await sendNotification({ method: "notifications/tools/list_changed" });
      return text("toggled");
    });
    return server;
  };
}

/** Duration of a task of a server with sessions, in milliseconds. */
const TASK_MS = 3_000;

/**
 * Tasks that every session sees. The SDK keeps those of each session for itself. Each node has a session of its own at the server, so
 * a node that takes a task over would not find it.
 */
class SharedTasks extends InMemoryTaskStore {
  createTask = (params, id, request) => super.createTask(params, id, request);
  getTask = (id) => super.getTask(id);
  getTaskResult = (id) => super.getTaskResult(id);
  storeTaskResult = (id, status, result) => super.storeTaskResult(id, status, result);
  updateTaskStatus = (id, status, message) => super.updateTaskStatus(id, status, message);
  listTasks = (cursor) => super.listTasks(cursor);
}

/** A server with sessions whose tool `research` is a task. */
function researching(taskStore) {
  return () => {
    const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
    const server = new McpServer({ name: "research", version: "1" }, { capabilities, taskStore });
    const about = { inputSchema: { topic: z.string() }, execution: { taskSupport: "required" } };
    server.experimental.tasks.registerToolTask("research", about, {
      async createTask({ topic }, extra) {
        const task = await extra.taskStore.createTask({ ttl: DAY_MS, pollInterval: 500 });
        setTimeout(() => taskStore.storeTaskResult(task.taskId, "completed", text(`about ${topic}`)), TASK_MS).unref();
        return { task };
      },
      getTask: (_, extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: (_, extra) => extra.taskStore.getTaskResult(extra.taskId),
    });
    return server;
  };
}

/** The tools that are shown. The official clients compile the schemas of each list, which would be most of the load. */
const SHOWN = ["echo", "server_time", "list_issues", "report_issues", "toggle", "extra", "research", "*whoami"];

/** Starts the servers. Returns the configuration and the variables of the nodes, and `stop`. */
export async function startServers() {
  const tasks = new SharedTasks();
  const made = { changing: changing(), research: researching(tasks) };
  const authorization = await startAuthorizationServer();
  const [tracker, everything, endpoints, home] = await Promise.all([
    startWorker({}),
    startEverything(),
    startEndpoints(made, (name) => made[name]()),
    startProtectedServer({ authorization, name: "home" }),
  ]);
  const upstream = (name, url, more) => ({ name, url, listWaitMs: LIST_WAIT_MS, concerns: "ignore", ...more });
  return {
    authorization,
    config: {
      audit: "all",
      policies: [{ name: "few", show: SHOWN.map((name) => `name:${name}`).join(" or ") }],
      concerns: [{ name: "size", values: ["small", "large"] }],
      rules: [
        { match: "name:echo or name:server_time", concerns: { size: "small" } },
        { match: "kind:tool -name:echo -name:server_time", concerns: { size: "large" } },
      ],
      upstreams: [
        upstream("tracker", tracker.mcp),
        upstream("everything", everything.url),
        upstream("changing", endpoints.url("changing")),
        upstream("research", endpoints.url("research")),
        upstream("home", home.url, { prefix: "home_", prefixAll: true, auth: "user" }),
      ],
    },
    env: {
      SIEVE_OPERATOR: digest(OPERATOR),
      SIEVE_TOKENS: tokensVariable(Object.fromEntries(USERS.map((sub) => [`${sub}-token`, { sub }]))),
    },
    async stop() {
      await Promise.all([tracker.stop(), everything.stop(), endpoints.stop(), home.stop(), authorization.stop()]);
      // Its timers, one for the end of each task, would keep this process for a day.
      tasks.cleanup();
    },
  };
}
