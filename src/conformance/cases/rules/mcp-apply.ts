/** Rules of the MCP servers page about what a write does to live sessions: revocation, connecting, counters, reconnect. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, mustEqual } from '../../check.js';
import { mustAnswer } from '../../target.js';
import type { Rule, Rules } from '../rules.js';
import { idle, McpSession, namesOf, rowOf, toolName } from './mcp-session.js';

/** The session sees this server connected. */
const sees = (mcp: McpSession, name: string) =>
  mcp.target.until(`a connected ${name}`, async () => {
    const row = await mcp.row(name);
    return row?.connected === true && row;
  });

const cannotCall = async (mcp: McpSession, name: string): Promise<void> => {
  mustAnswer(await mcp.run(name, 'echo', { text: 'x' }), 404, 'tool_not_found');
};

/** Counts over the whole target: nothing else may open a session or write meanwhile. */
const alone = (run: Exclude<Rule, { run: unknown }>): Rule => ({ alone: true, run });

export const mcpApplyRules: Rules = {
  'mcp.apply.revoked-first': async (target) => {
    const mcp = await McpSession.open(target);
    const other = await McpSession.open(target, { beside: mcp });
    for (const end of ['repoint', 'disable', 'delete'] as const) {
      const name = await mcp.connected();
      await other.reconnect();
      await sees(other, name);
      if (end === 'repoint') await mcp.upsert({ name, command: '/no/such/program' });
      if (end === 'disable') await mcp.enable(name, false);
      if (end === 'delete') await mcp.remove(name);
      await cannotCall(mcp, name);
      await cannotCall(other, name);
      await target.until('the next reconnect', async () => (await other.reconnect()).status === 200);
    }
  },
  'mcp.apply.caller-awaited': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    mustAnswer(await mcp.run(name, 'echo', { text: 'up' }), 200);
  },
  'mcp.apply.failure-is-state': async (target) => {
    const mcp = await McpSession.open(target);
    const { servers } = await mcp.upsert({ name: 'gone', command: '/no/such/program' });
    mustEqual([servers[0].connected, servers[0].enabled], [false, true], 'connected and enabled');
  },
  'mcp.enable.disable-revokes': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    const { servers } = await mcp.enable(name, false);
    mustEqual([servers[0].connected, servers[0].revoked_reason], [false, 'disabled'], 'the row of the server');
    mustEqual(await mcp.tools(), [], 'the tools of the session');
  },
  'mcp.counters.sessions': alone(async (target) => {
    const mcp = await McpSession.open(target);
    const before = (await mcp.upsert(idle('a'))).sessions;
    await McpSession.open(target);
    mustEqual((await mcp.upsert(idle('b'))).sessions, before + 1, 'sessions, with one more');
  }),
  'mcp.counters.partial': alone(async (target) => {
    const mcp = await McpSession.open(target);
    const broken = await McpSession.open(target);
    mustEqual((await mcp.upsert(idle('a'))).partial_sessions, 0, 'partial_sessions');
    await target.write(join(broken.configDir, 'settings.local.json'), '{ half');
    mustEqual((await mcp.upsert(idle('b'))).partial_sessions, 1, 'partial_sessions, with a broken layer');
  }),
  'mcp.counters.revoked': alone(async (target) => {
    const mcp = await McpSession.open(target);
    const other = await McpSession.open(target, { beside: mcp });
    const name = await mcp.connected();
    await other.reconnect();
    await sees(other, name);
    mustEqual((await mcp.upsert(idle('never'))).revoked, 0, 'revoked, by a server that never ran');
    mustEqual((await mcp.remove(name)).revoked, 2, 'revoked, of a server two sessions held');
  }),
  'mcp.counters.deferred': alone(async (target) => {
    const mcp = await McpSession.open(target);
    const { sessions, deferred_sessions, deferred_started } = await mcp.upsert(idle('a'));
    must(!deferred_started || deferred_sessions === sessions - 1, 'deferred_sessions is not the others');
    await McpSession.open(target);
    const next = await mcp.upsert(idle('b'));
    mustEqual(next.deferred_sessions, deferred_sessions + 1, 'deferred_sessions, with one more');
  }),
  'mcp.partial.reinstated': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    const { pid } = await mcp.row(name);
    const whole = (await mcp.text())!;
    await target.write(mcp.settingsPath, whole.slice(0, -4));
    const lost = await target.until('the loss of the layer', async () => {
      await mcp.reconnect();
      const row = await mcp.row(name);
      return row?.connected === false && row;
    });
    mustEqual(lost.revoked_reason, 'layer_unreadable', 'revoked_reason');
    await target.write(mcp.settingsPath, whole);
    const back = await target.until('the return of the server', async () => {
      await mcp.reconnect();
      const row = await mcp.row(name);
      return row?.connected === true && row;
    });
    mustEqual(back.pid, pid, 'the process');
  },
  'mcp.entry.disabled': async (target) => {
    const mcp = await McpSession.open(target);
    const entry = target.setting.mcp.child('off', { enabled: false });
    const { servers } = await mcp.upsert(entry);
    mustEqual([servers[0].enabled, servers[0].connected], [false, false], 'enabled and connected');
    mustEqual(await mcp.tools(), [], 'the tools of the session');
    mustEqual((await mcp.stored())[0], entry, 'what is stored');
  },
  'mcp.entry.allowed-tools': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected({ allowed_tools: ['echo'] });
    mustEqual(await mcp.tools(), [toolName(name, 'echo')], 'the tools of the session');
    mustAnswer(await mcp.run(name, 'echo', { text: 'x' }), 200);
    mustAnswer(await mcp.run(name, 'add', { a: 1, b: 2 }), 404, 'tool_not_found');
  },
  'mcp.entry.require-confirmation': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected({ require_confirmation: true });
    for (let turn = 0; turn < 2; turn += 1) {
      mustAnswer(await mcp.run(name, 'echo', { text: 'x' }), 409, 'tool_needs_confirmation');
    }
  },
  'mcp.delete.mid-turn': async (target) => {
    const mcp = await McpSession.open(target);
    const other = await McpSession.open(target, { beside: mcp });
    const name = await mcp.connected();
    await other.reconnect();
    await sees(other, name);
    const underWay = other.run(name, 'sleep', { ms: 600_000 });
    await target.until('the run', async () => {
      const { json } = await target.expect(200, 'getSessionState', { path: { id: other.id } });
      return json.state === 'running';
    });
    await mcp.remove(name);
    const { status, json } = await underWay;
    must(status >= 400 || json.ok === false, 'a call to a deleted server went on');
    await cannotCall(other, name);
  },
  'mcp.reconnect.rereads': async (target) => {
    const mcp = await McpSession.open(target, { settings: [idle('a')] });
    await target.write(mcp.settingsPath, JSON.stringify({ mcp_servers: [idle('b')] }));
    const answer = await mcp.reconnect();
    mustAnswer(answer, 200);
    mustEqual(namesOf(answer.json), ['b'], 'the servers after a reconnect');
  },
  'mcp.reconnect.healthy-untouched': async (target) => {
    const mcp = await McpSession.open(target);
    const name = await mcp.connected();
    const { pid } = await mcp.row(name);
    const answer = await mcp.reconnect();
    mustAnswer(answer, 200);
    const { json } = answer;
    const row = rowOf(json, name);
    mustEqual([row.connected, row.pid, json.revoked], [true, pid, 0], 'connected, pid and revoked');
  },
  'mcp.reconnect.recovers-dead': {
    features: ['mcp.stdio'],
    run: async (target) => {
      // Alive until the file is gone, so that a case can end it and let it come back.
      const mcp = await McpSession.open(target);
      const gate = join(mcp.configDir, 'alive');
      await writeFile(gate, '');
      const { command, args } = target.setting.mcp.child(target.name('s')) as unknown as {
        command: string;
        args: string[];
      };
      const [program, ...own] = args;
      const script = `const fs=require('fs');setInterval(()=>fs.existsSync(process.argv[1])||process.exit(1),50).unref();import(${JSON.stringify(program)})`;
      const { servers } = await mcp.upsert({ name: 's', command, args: ['-e', script, gate, ...own] });
      mustEqual(servers[0].connected, true, 'connected, at first');
      await rm(gate);
      await target.until('the death of the server', async () => (await mcp.row('s')).connected === false);
      await writeFile(gate, '');
      const answer = await target.until('a reconnect', async () => {
        const tried = await mcp.reconnect();
        return tried.status === 200 && tried;
      });
      mustEqual(rowOf(answer.json, 's').connected, true, 'connected, after a reconnect');
    },
  },
  'mcp.reconnect.interval': async (target) => {
    const mcp = await McpSession.open(target);
    mustAnswer(await mcp.reconnect(), 200);
    const again = await mcp.reconnect();
    mustAnswer(again, 429, 'rate_limited');
    must(again.headers['retry-after'] === undefined, 'the answer has a Retry-After');
    must(/\d/.test(again.json.message), 'the message does not say the wait');
  },
  'mcp.reconnect.failure-is-state': async (target) => {
    const mcp = await McpSession.open(target, { settings: [{ name: 'gone', command: '/no/such/program' }] });
    const answer = await mcp.reconnect();
    mustAnswer(answer, 200);
    mustEqual(rowOf(answer.json, 'gone').connected, false, 'connected');
  },
};
