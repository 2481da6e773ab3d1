/**
 * Every client that is tried: which generator in which version, from which document, and the commands that make a
 * program of it. A new generator is a row here and a story program beside it.
 */
import { join } from 'node:path';
import { ROOT, type Client, type Command } from './client.js';

/** Words that hold no spaces, as one line. */
const line = (text: string): Command => text.split(' ') as [string, ...string[]];
/** A program of our own node_modules. */
const ours = (name: string, text: string): Command => [join(ROOT, 'node_modules/.bin', name), ...line(text)];

const TYPESCRIPT = {
  language: 'typescript',
  needs: [],
  story: 'story.ts',
  install: [],
  compile: [ours('tsc', '-p .')],
  run: ours('tsx', 'story.ts'),
} as const satisfies Partial<Client>;

const OPENAPI_FETCH: Client = {
  ...TYPESCRIPT,
  id: 'openapi-fetch',
  generator: 'openapi-fetch 0.17.0',
  document: 'contract.ts',
  files: { 'story.ts': 'typescript/openapi-fetch.ts', 'tsconfig.json': 'typescript/tsconfig.json' },
  generate: [line('cp contract.ts client/')],
  notes: 'types are published; streams raw',
};

const HEY_API: Client = {
  ...TYPESCRIPT,
  id: 'hey-api',
  generator: '@hey-api/openapi-ts 0.95.0',
  document: 'openapi.json',
  files: { 'story.ts': 'typescript/hey-api.ts', 'tsconfig.json': 'typescript/tsconfig.json' },
  generate: [ours('openapi-ts', '-i ./openapi.json -o client -c @hey-api/client-fetch')],
  notes: 'reads streams; the newest for Node 20',
};

/** The documents of the other versions say the same: both generators read them, and the story is told through that. */
const OF_OTHER_VERSIONS: readonly Client[] = ['3.0', '3.2'].flatMap((version) => {
  const document = `openapi.${version}.json`;
  return [
    {
      ...OPENAPI_FETCH,
      id: `openapi-fetch-${version}`,
      document,
      generate: [ours('openapi-typescript', `./${document} -o client/contract.ts`)],
    },
    {
      ...HEY_API,
      id: `hey-api-${version}`,
      document,
      generate: [ours('openapi-ts', `-i ./${document} -o client -c @hey-api/client-fetch`)],
    },
  ];
});

/** The client is a package in `client/`; the types of the story are checked against it. */
const PYTHON = {
  language: 'python',
  document: 'openapi.json',
  story: 'story.py',
  compile: [
    line('venv/bin/python -m compileall -q client'),
    line('env MYPYPATH=client venv/bin/mypy --follow-imports=silent story.py'),
  ],
  run: line('env PYTHONPATH=client venv/bin/python story.py'),
} as const satisfies Partial<Client>;

const venv: readonly Command[] = [
  line('python3 -m venv venv'),
  line('venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt'),
];

const OPENAPI_PYTHON_CLIENT: Client = {
  ...PYTHON,
  id: 'openapi-python-client',
  generator: 'openapi-python-client 0.29.1',
  needs: ['python3'],
  files: {
    'story.py': 'python/openapi-python-client.py',
    'requirements.txt': 'python/openapi-python-client.txt',
    'config.yaml': 'python/openapi-python-client.yaml',
  },
  install: venv,
  generate: [
    line(
      'venv/bin/openapi-python-client generate --path openapi.json --output-path client/agentd --meta none' +
        ' --config config.yaml --fail-on-warning',
    ),
  ],
  notes: 'streams raw',
};

/** One jar for all its languages, from Maven Central. */
const JAR = { version: '7.25.0', folder: '../openapi-generator' } as const;
const fetchJar = line(
  `mvn --quiet dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:${JAR.version} -DoutputDirectory=${JAR.folder}`,
);
const openapiGenerator = (options: string): Command =>
  line(`java -jar ${JAR.folder}/openapi-generator-cli-${JAR.version}.jar generate ${options}`);

const OPENAPI_GENERATOR_PYTHON: Client = {
  ...PYTHON,
  id: 'openapi-generator-python',
  generator: `openapi-generator ${JAR.version} python`,
  needs: ['python3', 'java', 'mvn'],
  files: { 'story.py': 'python/openapi-generator.py', 'requirements.txt': 'python/openapi-generator.txt' },
  install: [...venv, fetchJar],
  generate: [openapiGenerator('-i openapi.json -g python -o client -p packageName=agentd')],
  notes: 'streams raw',
};

/** Writes nothing: it reads the document when it starts. */
const FASTMCP: Client = {
  ...PYTHON,
  id: 'fastmcp',
  generator: 'fastmcp 4.2.3',
  needs: ['python3'],
  files: { 'story.py': 'python/fastmcp.py', 'requirements.txt': 'python/fastmcp.txt' },
  install: venv,
  generate: [],
  compile: [line('venv/bin/mypy --follow-imports=silent story.py')],
  run: line('venv/bin/python story.py'),
  notes: 'operations as tools of an MCP server; streams raw',
};

const OAPI_CODEGEN: Client = {
  language: 'go',
  id: 'oapi-codegen',
  generator: 'oapi-codegen 2.8.2',
  needs: ['go'],
  document: 'openapi.json',
  files: { 'story.go': 'go/oapi-codegen.go', 'go.mod': 'go/oapi-codegen.mod', 'go.sum': 'go/oapi-codegen.sum' },
  story: 'story.go',
  install: [line('go build -o . github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen')],
  generate: [line('./oapi-codegen -generate types,client -package client -o client/client.gen.go openapi.json')],
  compile: [line('go vet .'), line('go build -o story .')],
  run: line('./story'),
  notes: 'streams raw',
};

const OPENAPI_GENERATOR_JAVA: Client = {
  language: 'java',
  id: 'openapi-generator-java',
  generator: `openapi-generator ${JAR.version} java native`,
  needs: ['java', 'javac', 'mvn'],
  document: 'openapi.3.0.json',
  files: { 'Story.java': 'java/openapi-generator.java' },
  story: 'Story.java',
  install: [fetchJar],
  generate: [
    openapiGenerator(
      '-i openapi.3.0.json -g java --library native -o client -p openApiNullable=false,containerDefaultToNull=true',
    ),
  ],
  compile: [
    line('mvn --quiet -f client/pom.xml package -Dmaven.test.skip=true -Dmaven.javadoc.skip=true'),
    line('javac -d classes -cp client/target/*:client/target/lib/* Story.java'),
  ],
  run: line('java -cp classes:client/target/*:client/target/lib/* Story'),
  notes: 'streams raw; containerDefaultToNull, or what was left out is sent as empty (openapi-generator#18482)',
};

const PROGENITOR: Client = {
  language: 'rust',
  id: 'progenitor',
  generator: 'progenitor 0.15.1',
  needs: ['cargo'],
  document: 'openapi.3.0.json',
  files: {
    'story.rs': 'rust/progenitor.rs',
    'Cargo.toml': 'rust/progenitor.toml',
    'Cargo.lock': 'rust/progenitor.lock',
  },
  story: 'story.rs',
  install: [line('cargo install --quiet --locked --root tools cargo-progenitor@0.15.1')],
  generate: [
    line('tools/bin/cargo-progenitor progenitor -i openapi.3.0.json -o client -n agentd -v 0.1.0 --interface builder'),
  ],
  compile: [line('cargo build --quiet --locked')],
  run: line('target/debug/story'),
  notes: 'streams raw; drops members it does not know (progenitor#1064) and empty optional lists',
};

export const CLIENTS: readonly Client[] = [
  OPENAPI_FETCH,
  HEY_API,
  ...OF_OTHER_VERSIONS,
  OPENAPI_PYTHON_CLIENT,
  OPENAPI_GENERATOR_PYTHON,
  FASTMCP,
  OAPI_CODEGEN,
  OPENAPI_GENERATOR_JAVA,
  PROGENITOR,
];
