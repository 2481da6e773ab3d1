/**
 * What a connection needs from the way it reaches its server, whether that is a child process or HTTP. A link carries
 * messages and ends; it knows nothing of tools.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

export interface Link {
  readonly transport: Transport;
  /** 0 for remote servers. */
  readonly pid: number;
  /** Why it ended ("it exited with code 1"); undefined while it lives and when it was closed without a reason. */
  readonly endReason: string | undefined;
  /** Last lines of stderr; empty for remote servers. */
  stderrTail(): readonly string[];
  /** What the operator should know about this server, as parts of a sentence about it. */
  warnings(): readonly string[];
  /**
   * Ends it; resolves when nothing of it is left. Safe to call more than once, the first reason counts. Without one it is
   * a polite stop, with one the server has already been found dead.
   */
  close(because?: string): Promise<void>;
}

export interface LinkEvents {
  /** A message was over the size limit and was left out: whoever waits for an answer may wait for that one. */
  oversized(): void;
  /** Something broke that may mean the server is gone. Remote links only. */
  doubted(reason: string): void;
}
