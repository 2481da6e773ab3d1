/**
 * Matches a regular expression against the lines of texts and files, in threads of its own: an expression that takes for
 * ever must not hold up the daemon, and a thread can be ended. The files of a folder are read there too, one call after
 * the other without going back and forth, which makes a large tree a matter of a second.
 */
import { constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ToolFailure } from './judged-file.js';
import { requiredText } from './required-text.js';

/** What one text may take, up to twice as long. An honest expression needs milliseconds for the largest that is searched. */
const TEXT_LIMIT_MS = 1_500;
/** Larger files are data or build products; a line of them is rarely one a person wrote. */
export const FILE_BYTES_MAX = 10 * 1024 * 1024;
/** Of a longer line this much is shown: its beginning, or what is around the match. */
const LINE_CHARS_MAX = 500;
/** A second one halves what a large tree takes, and listing the tree keeps no more than two busy. */
const THREADS_MAX = Math.min(2, availableParallelism());
/** Jobs that a thread has before another is started, which takes about as long as one of them. */
const BUSY_WITH = 2;
/** More than matching ten megabytes needs; a search that wants more is ended, and the daemon is not. */
const THREAD_HEAP_MIB = 256;

export interface LineMatch {
  /** The file it is in; empty for a text. */
  readonly name: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** The lines around it, as many as were asked for and are there; nearest last, and nearest first. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Files of one folder. */
export interface FolderFiles {
  /** Real path of the folder. */
  readonly folder: string;
  readonly names: readonly string[];
  /** What their names begin with in the matches. */
  readonly prefix: string;
}

type Job = { readonly text: string } | { readonly folders: readonly FolderFiles[] };

/**
 * Plain JavaScript, because a thread starts from a file or from text and ours are compiled in several ways. A folder is
 * held open, and is what it was when it was judged; its files are opened in it, and are neither links nor devices.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { closeSync, fstatSync, openSync, readlinkSync, readSync } = require('node:fs');
const { source, flags, text, perText, context, beats, fileBytesMax, lineCharsMax, openFlags, isLinux } = workerData;
const expression = new RegExp(source, flags);
const needle = text === undefined ? undefined : Buffer.from(text);
let room = Buffer.allocUnsafeSlow(64 * 1024);

/** Without what is left of a CRLF. */
const lineOf = (text, from, until) => text.slice(from, until > from && text[until - 1] === '\\r' ? until - 1 : until);

const part = (line, at) => {
  const from = at < lineCharsMax / 2 ? 0 : Math.min(at - lineCharsMax / 4, line.length - lineCharsMax);
  return (from > 0 ? '…' : '') + line.slice(from, from + lineCharsMax) + (from + lineCharsMax < line.length ? '…' : '');
};
const shownPart = (line, at) => (line.length > lineCharsMax ? part(line, at) : line);

const linesBefore = (text, from) => {
  const lines = [];
  for (let end = from - 1; end >= 0 && lines.length < context; ) {
    const start = end === 0 ? 0 : text.lastIndexOf('\\n', end - 1) + 1;
    lines.unshift(shownPart(lineOf(text, start, end), 0));
    end = start - 1;
  }
  return lines;
};

const linesAfter = (text, until) => {
  const lines = [];
  for (let start = until + 1; start < text.length && lines.length < context; ) {
    const newline = text.indexOf('\\n', start);
    const end = newline === -1 ? text.length : newline;
    lines.push(shownPart(lineOf(text, start, end), 0));
    start = end + 1;
  }
  return lines;
};

const search = (name, text, max, found) => {
  let line = 0;
  let left = Math.min(perText, max - found.length);
  for (let from = 0; from < text.length && left > 0; ) {
    line += 1;
    const end = text.indexOf('\\n', from);
    const until = end === -1 ? text.length : end;
    const whole = lineOf(text, from, until);
    if (expression.test(whole)) {
      const shown = whole.length > lineCharsMax ? part(whole, expression.exec(whole).index) : whole;
      found.push({ name, line, text: shown, before: linesBefore(text, from), after: linesAfter(text, until) });
      left -= 1;
    }
    from = until + 1;
  }
};

/** Of a file that is text, and that may have a match. */
const bytesOf = (path) => {
  const fd = openSync(path, openFlags);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > fileBytesMax) return undefined;
    let length = 0;
    for (;;) {
      const read = readSync(fd, room, length, room.length - length, null);
      length += read;
      if (read === 0 || (length >= stat.size && length < room.length)) break;
      // The rest of what is no text need not be read.
      if (length > fileBytesMax || room.subarray(length - read, length).includes(0)) return undefined;
      if (length === room.length) room = Buffer.concat([room, Buffer.allocUnsafeSlow(room.length)]);
    }
    const bytes = room.subarray(0, length);
    return (needle && !bytes.includes(needle)) || bytes.includes(0) ? undefined : bytes;
  } finally {
    closeSync(fd);
  }
};

const searchFile = (path, name, max, found) => {
  try {
    const bytes = bytesOf(path);
    if (bytes) search(name, bytes.toString('utf8'), max, found);
  } catch (error) {
    // Gone, or closed to us: no reason to stop.
    if (error.code === undefined) throw error;
  }
};

const searchFolder = ({ folder, names, prefix }, max, found) => {
  let fd;
  try {
    fd = openSync(folder, openFlags);
    if (isLinux && readlinkSync('/proc/self/fd/' + fd) !== folder) return;
    const at = isLinux ? '/proc/self/fd/' + fd : folder;
    for (const name of names) {
      beats[0] += 1;
      searchFile(at + '/' + name, prefix + name, max, found);
      if (found.length >= max) return;
    }
  } catch (error) {
    if (error.code === undefined) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

parentPort.on('message', (job) => {
  const found = [];
  beats[0] += 1;
  if (job.text === undefined) for (const folder of job.folders) searchFolder(folder, job.max, found);
  else search('', job.text, job.max, found);
  parentPort.postMessage(found);
});
`;

export interface LineMatcher {
  /** The first matching lines of a text, at most `max`. Throws ToolFailure when it takes too long. */
  ofText(text: string, max: number): Promise<readonly LineMatch[]>;
  /**
   * The first matching lines of these files, at most `max`. Files that are binary, too large or not to be opened have
   * none. Throws ToolFailure when it takes too long.
   */
  ofFiles(folders: readonly FolderFiles[], max: number): Promise<readonly LineMatch[]>;
  close(): Promise<void>;
}

export interface Pattern {
  readonly text: string;
  readonly isPlain: boolean;
  readonly ignoreCase: boolean;
  /** Matches that are wanted of one file at most. */
  readonly perText: number;
  /** Lines that are wanted before and after each match. */
  readonly context: number;
}

/** What has a meaning of its own only in an expression over whole characters. */
const OF_UNICODE = /\\[pP]\{|\\u\{/;
const SPECIAL = /[\\^$.*+?()[\]{}|]/;

/** Throws ToolFailure for an expression that is none. */
export const createLineMatcher = ({ text, isPlain, ignoreCase, perText, context }: Pattern): LineMatcher => {
  const source = isPlain ? text.replace(new RegExp(SPECIAL, 'g'), '\\$&') : text;
  const flags = (ignoreCase ? 'i' : '') + (!isPlain && OF_UNICODE.test(text) ? 'u' : '');
  checkExpression(source, flags);
  const data = {
    source,
    flags,
    text: ignoreCase ? undefined : isPlain ? text : requiredText(source),
    perText,
    context,
    fileBytesMax: FILE_BYTES_MAX,
    lineCharsMax: LINE_CHARS_MAX,
    openFlags: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    isLinux: process.platform === 'linux',
  };
  const threads = [startThread(data)];
  /** The least busy one. A small tree is not worth a second. */
  const thread = (): MatchThread => {
    const [least] = threads.toSorted((a, b) => a.waiting - b.waiting) as [MatchThread];
    if (least.waiting < BUSY_WITH || threads.length >= THREADS_MAX) return least;
    threads.push(startThread(data));
    return threads.at(-1) as MatchThread;
  };
  return {
    ofText: (content, max) => thread().ask({ text: content }, max),
    ofFiles: (folders, max) => thread().ask({ folders }, max),
    close: async () => void (await Promise.all(threads.map((each) => each.close()))),
  };
};

interface MatchThread {
  /** Jobs that it has not answered. */
  readonly waiting: number;
  ask(job: Job, max: number): Promise<readonly LineMatch[]>;
  close(): Promise<void>;
}

const startThread = (data: object): MatchThread => {
  const beats = new Uint32Array(new SharedArrayBuffer(4));
  const thread = new Worker(THREAD, {
    eval: true,
    workerData: { ...data, beats },
    env: {},
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MIB },
  });
  thread.unref();

  type Waiting = { resolve: (found: readonly LineMatch[]) => void; reject: (error: Error) => void };
  const waiting: Waiting[] = [];
  const fail = (error: Error): void => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  let lastBeat = 0;
  const watch = setInterval(() => {
    if (waiting.length > 0 && beats[0] === lastBeat) void thread.terminate();
    lastBeat = beats[0] as number;
  }, TEXT_LIMIT_MS);
  thread.on('message', (found: readonly LineMatch[]) => waiting.shift()?.resolve(found));
  thread.on('error', () => fail(new ToolFailure('the search needs too much memory; use a simpler expression')));
  thread.on('exit', () => {
    clearInterval(watch);
    fail(new ToolFailure('the expression takes too long; use a simpler one'));
  });
  return {
    get waiting() {
      return waiting.length;
    },
    ask: (job, max) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        thread.postMessage({ ...job, max });
      }),
    close: async () => void (await thread.terminate()),
  };
};

const checkExpression = (source: string, flags: string): void => {
  try {
    new RegExp(source, flags).test('');
  } catch (error) {
    const why = (error as Error).message.split(': ').at(-1) as string;
    const instead = source.startsWith('(?i)') ? 'ignore_case in place of (?i)' : 'fixed_string for plain text';
    throw new ToolFailure(`pattern is no regular expression (${why}); set ${instead}`);
  }
};
