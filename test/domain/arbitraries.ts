/** Generators shared by the property tests of entries. */
import fc from 'fast-check';

export const serverName = fc
  .stringMatching(/^[A-Za-z0-9_-]{1,20}$/)
  .filter((name) => !name.includes('__') && !/^(hoody|mcp)$/i.test(name));
