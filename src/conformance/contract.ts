/**
 * The contract as the suite reads it: which operations there are, what each may answer, which of those answers are
 * documented one by one (error codes, examples, frames), and whether an answer that came is one of them.
 * It sends nothing and knows no daemon: a bundle goes in, a list of complaints comes out.
 *
 * Invariant: an answer without complaint is documented in status, media type, headers, code and body.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

/** A node of the bundle, which was checked when it was generated. */
export type Node = { readonly [key: string]: any };

export type Family = 'agent' | 'workspaces';
export type Kind = 'error' | 'example' | 'frame';

/** One answer the contract documents by name: an error code, an example of a success, a frame of a stream. */
export interface Documented {
  /** `mcp/upsertMcpServer/409/mcp_conflict`; successes end in `example:NAME`, frames in `frame:NAME`. */
  readonly id: string;
  readonly kind: Kind;
  readonly operation: Operation;
  readonly status: number;
  /** The error code, or the name of the example or of the event. */
  readonly name: string;
  /** The documented body; of a frame, nothing. */
  readonly value: unknown;
}

export interface StreamRules {
  readonly events: ReadonlyMap<string, string>;
  readonly terminal: ReadonlySet<string>;
  readonly ids: boolean;
  /** Matches every beginning of an allowed sequence, written as `name;name;`. */
  readonly beginning: RegExp;
}

interface DocumentedAnswer {
  readonly mediaTypes: ReadonlySet<string>;
  readonly schemaPointer: string | undefined;
  readonly codes: ReadonlySet<string>;
  readonly requiredHeaders: readonly string[];
  readonly stream: StreamRules | undefined;
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  /** With templates, such as `/api/v1/agent/jobs/{id}`. */
  readonly path: string;
  readonly family: Family;
  readonly scopes: readonly string[];
  readonly parameters: readonly Node[];
  readonly hasBody: boolean;
  /** The documented request body, where there is one. */
  readonly requestExample: unknown;
  readonly answers: ReadonlyMap<number, DocumentedAnswer>;
  readonly documented: readonly Documented[];
}

export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed body; undefined when it is no JSON. */
  readonly json: unknown;
  readonly text: string;
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const JSON_TYPE = 'application/json';
export const EVENT_STREAM = 'text/event-stream';
/** Complaints of one answer that are worth reading; the rest follows from the first. */
const COMPLAINTS_MAX = 5;

export class Contract {
  readonly version: string;
  /** Of the text the contract was read from. */
  readonly sha256: string;
  readonly operations: readonly Operation[];
  readonly #byId: ReadonlyMap<string, Operation>;
  readonly #bundle: Node;
  readonly #edge: Readonly<Record<Family, ReadonlyMap<number, DocumentedAnswer>>>;
  // Whether its schemas are schemas is asked where a contract is made, not where it is used.
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, validateSchema: false });
  readonly #validators = new Map<string, ValidateFunction>();

  /** `text` is a bundled OpenAPI document as JSON. */
  constructor(text: string) {
    const bundle = JSON.parse(text) as Node;
    this.#bundle = bundle;
    this.sha256 = createHash('sha256').update(text).digest('hex');
    this.version = bundle['info'].version as string;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(bundle as object, 'contract');
    this.operations = Object.entries<Node>(bundle['paths']).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method] !== undefined).map((method) =>
        this.#operation(path, method, item[method]),
      ),
    );
    this.#byId = new Map(this.operations.map((operation) => [operation.id, operation]));
    const edge = (family: Family) => this.#answers(bundle['x-edge-responses'][family], `/x-edge-responses/${family}`);
    this.#edge = { agent: edge('agent'), workspaces: edge('workspaces') };
  }

  /** Throws when the contract has no such operation: a mistake in a case. */
  operation(id: string): Operation {
    const found = this.#byId.get(id);
    if (found === undefined) throw new Error(`the contract has no operation ${id}`);
    return found;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The operation a request goes to; literal segments win over templates. Undefined for an unknown path or method. */
  find(method: string, pathname: string): Operation | undefined {
    const segments = pathname.split('/');
    const fits = this.operations.filter(
      (operation) => operation.method === method && matches(operation.path.split('/'), segments),
    );
    return fits.toSorted((a, b) => templates(a.path) - templates(b.path))[0];
  }

  /** What is wrong with an answer, in sentences; nothing when the contract documents it. */
  complaints(operation: Operation | undefined, pathname: string, answer: ReceivedAnswer): string[] {
    const family: Family = operation?.family ?? familyOf(pathname);
    const own = operation?.answers.get(answer.status);
    const edge = this.#edge[family].get(answer.status);
    const where = operation?.id ?? 'a path without operation';
    if (own === undefined && edge === undefined) return [`status ${answer.status} is not documented for ${where}`];
    const candidates = [own, edge].filter((each) => each !== undefined);
    const each = candidates.map((documented) => this.#complaintsOf(documented, where, answer));
    return (each.find((complaints) => complaints.length === 0) ?? each[0]!).slice(0, COMPLAINTS_MAX);
  }

  /** What is wrong with the payload of a frame. */
  frameComplaints(rules: StreamRules, event: string, payload: unknown): string[] {
    const pointer = rules.events.get(event);
    if (pointer === undefined) return [`the event "${event}" is not documented`];
    return this.#schemaComplaints(pointer, payload, `the frame "${event}"`);
  }

  #complaintsOf(documented: DocumentedAnswer, where: string, answer: ReceivedAnswer): string[] {
    const complaints: string[] = [];
    const mediaType = (answer.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
    if (!documented.mediaTypes.has(mediaType)) {
      return [
        `${where} answers ${answer.status} as ${mediaType || 'nothing'}, not ${[...documented.mediaTypes].join(' or ')}`,
      ];
    }
    for (const name of documented.requiredHeaders) {
      if (answer.headers[name.toLowerCase()] === undefined) complaints.push(`the header ${name} is missing`);
    }
    const retryAfter = answer.headers['retry-after'];
    if (retryAfter !== undefined && !/^[1-9]\d*$/.test(retryAfter)) {
      complaints.push('Retry-After is not a positive whole number of seconds');
    }
    if (mediaType !== JSON_TYPE) return complaints;
    if (answer.json === undefined) return [...complaints, 'the body says it is JSON and is not'];
    if (documented.codes.size > 0) {
      const code = errorCode(answer.json);
      if (code === undefined || !documented.codes.has(code)) {
        complaints.push(`the code ${code ?? '(none)'} is not documented for ${where} ${answer.status}`);
      }
      const details = code === undefined ? undefined : this.#bundle['x-error-details']?.[code];
      if (details !== undefined) {
        const value = (answer.json as Node)['details'];
        if (value !== undefined) {
          complaints.push(...this.#schemaComplaints(`/x-error-details/${code}`, value, `details of ${code}`));
        }
      }
    }
    if (documented.schemaPointer !== undefined) {
      complaints.push(...this.#schemaComplaints(documented.schemaPointer, answer.json, 'the body'));
    }
    return complaints;
  }

  #schemaComplaints(pointer: string, value: unknown, what: string): string[] {
    let validate = this.#validators.get(pointer);
    if (validate === undefined) {
      const fragment = pointer.split('/').map(encodeURIComponent).join('/');
      this.#validators.set(pointer, (validate = this.#ajv.compile({ $ref: `contract#${fragment}` })));
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${what}${sentenceOf(error)}`);
  }

  #follow(node: Node, pointer: string): { node: Node; pointer: string } {
    const ref = node['$ref'] as string | undefined;
    if (ref === undefined) return { node, pointer };
    const target = ref.slice(1);
    const found = target
      .split('/')
      .slice(1)
      .reduce<any>((at, step) => at[step.replaceAll('~1', '/').replaceAll('~0', '~')], this.#bundle) as Node;
    return this.#follow(found, target);
  }

  #operation(path: string, method: string, node: Node): Operation {
    const at = `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`;
    const body = node['requestBody'] as Node | undefined;
    const bodyExamples = Object.values<Node>(body?.['content']?.[JSON_TYPE]?.examples ?? {});
    const operation = {
      id: node['operationId'] as string,
      tag: node['tags'][0] as string,
      method: method.toUpperCase(),
      path,
      family: familyOf(path),
      scopes: node['x-scopes'] as string[],
      parameters: ((node['parameters'] ?? []) as Node[]).map((parameter) => this.#follow(parameter, '').node),
      hasBody: body !== undefined,
      requestExample: bodyExamples[0] === undefined ? undefined : this.#follow(bodyExamples[0], '').node['value'],
      answers: this.#answers(node['responses'], `${at}/responses`),
    };
    const documented: Documented[] = [];
    const complete: Operation = { ...operation, documented };
    for (const [status, response] of Object.entries<Node>(node['responses'])) {
      documented.push(...this.#documented(complete, Number(status), this.#follow(response, '').node));
    }
    return complete;
  }

  #documented(operation: Operation, status: number, response: Node): Documented[] {
    const base = `${operation.tag}/${operation.id}/${status}`;
    const row = (kind: Kind, id: string, name: string, value: unknown): Documented => ({
      id: `${base}/${id}`,
      kind,
      operation,
      status,
      name,
      value,
    });
    const rows: Documented[] = [];
    for (const media of Object.values<Node>(response['content'] ?? {})) {
      const examples = Object.entries<Node>(media['examples'] ?? {});
      for (const [name, example] of examples) {
        const value = this.#follow(example, '').node['value'];
        rows.push(status >= 400 ? row('error', name, name, value) : row('example', `example:${name}`, name, value));
      }
      if (status < 400 && examples.length === 0) rows.push(row('example', 'example:any', 'any', undefined));
    }
    for (const event of Object.keys(response['x-sse']?.events ?? {})) {
      rows.push(row('frame', `frame:${event}`, event, undefined));
    }
    return rows;
  }

  #answers(responses: Node, at: string): ReadonlyMap<number, DocumentedAnswer> {
    return new Map(
      Object.entries<Node>(responses).map(([status, response]) => {
        const { node, pointer } = this.#follow(response, `${at}/${status}`);
        const content = Object.entries<Node>(node['content'] ?? {});
        const isError = Number(status) >= 400;
        const json = node['content']?.[JSON_TYPE] as Node | undefined;
        return [
          Number(status),
          {
            mediaTypes: new Set(content.map(([type]) => type)),
            schemaPointer: json?.['schema'] && `${pointer}/content/${JSON_TYPE.replace('/', '~1')}/schema`,
            codes: new Set(isError ? content.flatMap(([, media]) => Object.keys(media['examples'] ?? {})) : []),
            requiredHeaders: Object.entries<Node>(node['headers'] ?? {})
              .filter(([, header]) => this.#follow(header, '').node['required'] === true)
              .map(([name]) => name),
            stream: node['x-sse'] && this.#streamRules(node['x-sse'], `${pointer}/x-sse`),
          },
        ];
      }),
    );
  }

  #streamRules(node: Node, pointer: string): StreamRules {
    return {
      events: new Map(Object.keys(node['events']).map((event) => [event, `${pointer}/events/${event}`])),
      terminal: new Set(node['terminal'] as string[]),
      ids: node['ids'] === true,
      beginning: beginningOf(node['order'] as string),
    };
  }
}

/** The contract this package was released with. */
export const releasedContract = (): Contract =>
  new Contract(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));

/** The code of an error body of either family; undefined when there is none. */
export const errorCode = (json: unknown): string | undefined => {
  const body = json as { code?: unknown; errors?: { code?: unknown }[] } | null | undefined;
  const code = body?.code ?? body?.errors?.[0]?.code;
  return typeof code === 'string' ? code : undefined;
};

const familyOf = (path: string): Family => (path.startsWith('/api/v1/workspaces') ? 'workspaces' : 'agent');

const templates = (path: string): number => path.split('{').length;

const matches = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length &&
  template.every((part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== ''));

/** `snapshot (changed | snapshot)* end?` as an expression that fits every beginning of such a sequence. */
const beginningOf = (order: string): RegExp => {
  const items = order.match(/\([^)]*\)[*?]?|[\w-]+[*?]?/g) ?? [];
  const patterns = items.map((item) => {
    const repeat = /[*?]$/.exec(item)?.[0] ?? '';
    const names = item.match(/[\w-]+/g)!.map((name) => `${name};`);
    return `(?:${names.join('|')})${repeat}`;
  });
  return new RegExp(`^${patterns.reduceRight((rest, item) => `(?:${item}${rest})?`, '')}$`);
};

const sentenceOf = ({ instancePath, message, params }: ErrorObject): string => {
  const extra = 'additionalProperty' in params ? ` (${String(params['additionalProperty'])})` : '';
  return `${instancePath.replaceAll('/', '.')} ${message ?? 'is not what the schema says'}${extra}`;
};
