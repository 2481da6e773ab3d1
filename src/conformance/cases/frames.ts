/**
 * One case for each frame of each event stream: the stream is brought to send it, and it is judged as it arrives. A frame
 * joins by a row in FRAMES; one without a row is an error of the suite.
 */
import type { Case, Tier } from '../check.js';
import type { EventStream } from '../client.js';
import type { Contract, Documented } from '../contract.js';
import { at, shownBy } from './examples.js';
import { inFolder, Scene } from './examples-scene.js';
import { guardedWrite } from './examples-tools.js';

interface Provocation {
  readonly tier?: Tier;
  readonly alone?: boolean;
  /** Brings the stream to send the frame, and resolves to the stream. */
  readonly provoke: (scene: Scene) => Promise<EventStream>;
}

const reading: Provocation = {
  provoke: async (scene) => {
    const { cwd, path } = await scene.file('text');
    return scene.stream({ path: { name: 'read_file' }, headers: inFolder(cwd), body: { params: { path } } });
  },
};

export const FRAMES: Readonly<Record<string, Provocation>> = {
  'streamTool:start': reading,
  'streamTool:result': reading,
  'streamTool:needs_confirmation': { provoke: async (scene) => scene.stream(await guardedWrite(scene)) },
  'streamTool:error': { provoke: (scene) => scene.stream({ path: { name: 'no_such_tool' }, body: {} }) },
  'streamTool:end': reading,
  'streamChanges:snapshot': { provoke: (scene) => scene.stream() },
  'streamChanges:changed': {
    provoke: async (scene) => {
      const stream = await scene.stream();
      await stream.next('snapshot');
      await scene.target.session();
      return stream;
    },
  },
  /** Ended with the target itself. */
  'streamChanges:end': {
    tier: 'state',
    alone: true,
    provoke: async (scene) => {
      if (scene.isMock) return scene.stream();
      const ending = scene.at(await scene.target.inState('ordinary'));
      const stream = await ending.stream();
      await stream.next('snapshot');
      await ending.target.setting.restarted();
      return stream;
    },
  },
};

export const frameCases = (contract: Contract): Case[] =>
  contract.operations
    .flatMap(({ documented }) => documented)
    .filter(({ kind }) => kind === 'frame')
    .map(frameCase);

const frameCase = (of: Documented): Case => {
  const provocation = FRAMES[`${of.operation.id}:${of.name}`];
  const isLast = of.operation.answers.get(of.status)?.stream?.terminal.has(of.name) === true;
  return {
    id: of.id,
    title: `${of.operation.id} sends the frame "${of.name}"${isLast ? ', and nothing after it' : ''}`,
    level: 'MUST',
    tier: provocation?.tier ?? 'request',
    features: [],
    ...(provocation?.alone && { alone: true }),
    run: async (target) => {
      if (provocation === undefined) throw new Error(`the suite cannot provoke ${of.id}: give it a row in FRAMES`);
      const stream = await provocation.provoke(new Scene(target, of, exampleWith(of)));
      await stream.next(of.name);
      if (isLast) await stream.ended();
    },
  };
};

/** The documented stream that has the frame. */
const exampleWith = ({ operation, name }: Documented): string | undefined =>
  operation.documented.find(
    (each) => each.kind === 'example' && (shownBy(each) as unknown[]).some((frame) => at(frame, 'event') === name),
  )?.name;
