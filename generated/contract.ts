/**
 * Types of the contract. Written by `npm run generate` from openapi/; do not edit. Types only: at run time the daemon
 * reads openapi.json.
 */
export interface paths {
    "/api/v1/agent/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is the daemon there
         * @description Answers from the edge alone.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Versions and capabilities
         * @description What this build is and knows.
         */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This contract as JSON
         * @description The contract as this build serves it: operations that are not built yet are left out.
         */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This contract as YAML
         * @description The same document as YAML.
         */
        get: operations["getOpenapiYaml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A page to read this contract
         * @description A page that shows the contract. It loads nothing from elsewhere.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/hoody/auth/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the daemon acts for
         * @description The login of the daemon and which realms it may serve.
         */
        get: operations["getAuthStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description The sessions of the caller in the realm, open and closed. The scope headers filter.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Open a session
         * @description Freezes the posture of a new session. Scope headers fill in what the body leaves out. The MCP servers of the session connect in the background; the reply does not wait for them. With `attach` a recorded session is opened again in place of a new one, unless another daemon on the same store holds it.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/cwds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the working folders
         * @description Each folder that a session of the caller in the realm has, the one of the newest session first.
         */
        get: operations["listSessionCwds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one session
         * @description The record of a session, and the gate it waits for.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * Close a session, and erase it on request
         * @description Closes the session if it is live. With hard=true its record goes too.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        /**
         * Rename a session
         * @description The name is all of a session that can change.
         */
        patch: operations["renameSession"];
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a session
         * @description Aborts what runs in the session, lets go of its MCP servers and keeps its record.
         */
        post: operations["closeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of a session
         * @description What the session does right now.
         */
        get: operations["getSessionState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel what runs in a session
         * @description Aborts the run that holds the turn slot, also one that waits for an answer; MCP servers that work on it are told. The run itself answers as cancelled. With a turn id only that turn is meant.
         */
        post: operations["cancelSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/yolo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Let a session write unasked, or stop that
         * @description What asks before files are changed or commands run, and before work outside the folder of the session, is answered with yes while this is on. Dangerous shapes and guarded files are asked about all the same, and nothing that is denied becomes possible. It ends with the live session.
         */
        patch: operations["setSessionYolo"];
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/approval": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a session may do unasked
         * @description The standing answers of a live session.
         */
        get: operations["getSessionApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/approval/rules/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Allow or deny a tool in a session
         * @description `allow` answers the question for a write permission of this tool, and no other question. `deny` refuses every run of it, as a result. The tool may be any built-in one, one the session lists, or one of a server in the settings that is not connected now: `mcp__{server}__{tool}`, or `mcp:{server}:{tool}`, which is kept under the name the session lists.
         */
        put: operations["setApprovalRule"];
        post?: never;
        /**
         * Forget the rule for a tool
         * @description A tool without a rule is no error.
         */
        delete: operations["deleteApprovalRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/gates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the gates that wait
         * @description Every question and confirmation that live sessions of the realm wait for, the oldest first. The scope headers filter.
         */
        get: operations["listGates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a question
         * @description Answers the question the session waits for, and its run goes on. An answer that does not fit the question is refused, and the question stays. `gate_id` and `generation` name the question that is meant, so that a late answer cannot hit the next one.
         */
        post: operations["answerGate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or deny what a session waits for
         * @description Decides the confirmation a session is parked on, as a step of a workflow parks one: approved, exactly that call runs; not approved, the workflow run has failed. Runs of single tools do not park on one: they answer 409 with a token. `approved: false` also declines a question: an MCP server that asked is told so. `approved: true` answers no question and is `gate_type_mismatch` there.
         */
        post: operations["confirmGate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/mcp/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the effective MCP servers
         * @description The merged server list of a live session, the settings files behind it with their hashes, and what runs for each entry. Values of env and headers are never returned, only their names; command, args and url are echoed as written.
         */
        get: operations["listMcpServers"];
        /**
         * Write one MCP server entry
         * @description Merges the entry over the stored one of the same name, field by field: what is left out stays, members this daemon does not know included. Values of env and headers are merged key by key.
         *
         *     Refused: null for a member of the entry, null inside args, a member name in another letter case, two header names that differ only in case, and a redaction placeholder in place of a credential. A stored entry with such a fault is repaired by a write that supplies the exact member, and refused otherwise with the repair named.
         *
         *     Changing transport, command, args or url re-points the server: its stored credentials go unless the same request supplies them again. Restating what is stored is no change.
         *
         *     The nonce is spent once it is looked at, whatever comes of the write; the hash is compared inside the lock that guards the file. Before the reply, a re-pointed server is cut off in every live session and the named session has tried to connect. That try may have failed: read `connected`.
         */
        put: operations["upsertMcpServer"];
        post?: never;
        /**
         * Remove one MCP server entry
         * @description Removes the entry from the layer of the nonce. The server is cut off in every live session before the reply, and its child ends when the last session lets go of it. A name the layer does not have is 400.
         */
        delete: operations["deleteMcpServer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/mcp/servers/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable or disable one MCP server
         * @description Changes the one flag and nothing else, so credentials survive. Disabling cuts the server off in every live session before the reply. A name the layer does not have is 400.
         */
        post: operations["setMcpServerEnabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/mcp/parse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview an import
         * @description Reads a pasted document and answers the entries an import would write, without credential values. Writes nothing and needs no nonce. A document that carries more than one dialect is refused, and so is one of more than 64 levels or 10,000 members and items.
         */
        post: operations["previewMcpImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/mcp/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a batch of MCP servers
         * @description Writes all entries of a document, or of an array, or none: one bad entry or one name that is taken refuses the batch. Imported servers land disabled. Exactly one of document and servers is given.
         */
        post: operations["importMcpServers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/mcp/write-intents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint a nonce for one write
         * @description Answers a nonce for one write of the named kind to one settings file, with the hash that write has to expect. Without a scope the layer is user, or project where there is no user layer.
         */
        post: operations["createMcpWriteIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/mcp/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Probe a candidate (never over HTTP)
         * @description Would start the candidate, list its tools and stop it. Every caller of this route is a machine, so it has no success: a malformed or denied candidate is 400, anything else 403 human_only. Write the entry and read connected instead.
         */
        post: operations["testMcpServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/mcp/reconnect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Re-read the settings and reconnect
         * @description Reads the layers again and brings every live session in line: what vanished or was re-pointed is cut off everywhere before the reply, what is healthy is left alone, the rest is connected, awaited for the named session only. Asked too soon again for one session, it answers 429 with the wait in the message and without Retry-After.
         */
        post: operations["reconnectMcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the built-in tools
         * @description The catalogue with the schema of each input. It does not depend on a realm, and a realm header is refused.
         */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/tools/read-only": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the read-only tools
         * @description The part of the catalogue that changes nothing.
         */
        get: operations["listReadOnlyTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/tools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one built-in tool
         * @description One row of the catalogue.
         */
        get: operations["getTool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tools of a session
         * @description Everything a live session may call now: built-in tools its posture and settings allow, and the tools of its connected MCP servers.
         */
        get: operations["listSessionTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/tools/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the MCP tools of a session
         * @description The part of the same list that comes from MCP servers.
         */
        get: operations["listSessionMcpTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/tools/{name}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a built-in tool
         * @description Runs one tool without a session, in a posture taken from the scope headers, through the whole gate chain. A tool that is not read-only needs allow_mutations or a confirmation. A refusal by policy and a failure of the tool are results.
         */
        post: operations["runTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/tools/{name}/runAsync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a built-in tool in the background
         * @description The same run as a job. Whatever the run comes to, a refusal or a confirmation included, is the outcome of the job.
         */
        post: operations["runToolAsync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/tools/{name}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a built-in tool and stream the outcome
         * @description The same run as Server-Sent Events. The outcome is one frame; nothing is streamed token by token.
         */
        post: operations["streamTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/tools/{name}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a tool in a session
         * @description Runs a built-in or MCP tool in the frozen posture of a live session. It occupies the one turn slot of the session, and cancelling the turn or closing the session aborts it. In a headless session what would need a confirmation is refused, as a result.
         */
        post: operations["runSessionTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job
         * @description The record of a job, with its outcome once it is over.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Cancel a job, or forget a finished one
         * @description A job that waits or runs is canceled, and whatever its run still comes to does not change that. The record of a job that is over is removed.
         */
        delete: operations["deleteJob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/jobs/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the outcome of a job
         * @description Answers at once: the outcome of a job that is over, or the status of one that is not. A run that was refused or has to be confirmed is a failed job with the error the plain run would have answered; a tool that failed is a succeeded job with its result.
         */
        get: operations["getJobResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/todos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List todos
         * @description The todos of the caller in the realm, archived ones apart. The scope headers select. A todo that sleeps stays listed, with the time it wakes.
         */
        get: operations["listTodos"];
        put?: never;
        /**
         * Create a todo
         * @description It begins in the inbox. The body names the working folder, or the scope header does; the folder must exist.
         */
        post: operations["createTodo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/todos/revision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the changes of the todos
         * @description One number for all todos of the scope. It grows with each change and is no revision of a todo.
         */
        get: operations["getTodosRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/todos/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase what was archived long ago
         * @description Todos of the scope that were archived more than 90 days ago are erased for good.
         */
        post: operations["purgeTodos"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/todos/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a todo with its timeline
         * @description Everything that happened to it, oldest first.
         */
        get: operations["getTodo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit a todo
         * @description Only when it still has the revision the caller has seen. What the body leaves out stays as it is.
         */
        patch: operations["updateTodo"];
        trace?: never;
    };
    "/api/v1/agent/todos/{id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to work on a todo
         * @description A session takes a todo that is ready, or one whose lease has run out, and it is in progress. Claiming again makes the lease last.
         */
        post: operations["claimTodo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/todos/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End work on a todo
         * @description The session that has the lease gives it back. Work that is done waits in review for a person; what was blocked is blocked, and the rest is ready again.
         */
        post: operations["releaseTodo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/todos/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Comment on a todo
         * @description The comment goes onto the timeline. It overwrites nothing, so it needs no revision.
         */
        post: operations["createTodoComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/todos/{id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a todo sleep
         * @description Stores when it wakes. The list shows it before and after; what to do about it is up to the reader.
         */
        post: operations["snoozeTodo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/todos/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a todo
         * @description It leaves the list and can no longer be changed.
         */
        post: operations["archiveTodo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workflows
         * @description The definitions of the caller in the realm, by name. Hidden ones are left out unless they are asked for. A definition belongs to no folder: the scope headers are checked, and select nothing.
         */
        get: operations["listWorkflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/workflows/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workflow runs
         * @description The runs of the caller in the realm, newest first; the scope headers select. The last 1,000 of a realm are kept.
         */
        get: operations["listWorkflowRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/workflows/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workflow run
         * @description The run, with what each step came to.
         */
        get: operations["getWorkflowRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/workflows/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a workflow run
         * @description It is cancelled from now on; the step that is under way is told to stop, and the turn slot is free when it has. A run that is over stays as it ended.
         */
        post: operations["cancelWorkflowRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/workflows/{name}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a workflow in a session
         * @description Claims the turn slot and runs one step after another, each behind the gates like a run of that tool. A step that needs a confirmation parks a confirm gate that shows its tool and params; `confirmGate` lets exactly that run, or ends the workflow as failed. In a headless session such a step fails. The first step that fails ends the run. `cancelWorkflowRun`, `cancelSession`, `deleteJob` and closing the session cancel it. A `read_only` session runs no workflows; in an `orchestrator` session the steps may use what a `full` session may.
         */
        post: operations["runSessionWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/workflows/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workflow
         * @description The definition, and its revision when that is asked for.
         */
        get: operations["getWorkflow"];
        /**
         * Store a workflow
         * @description A new one with `expected_absent: true`, or another definition in place of the one whose `expected_revision` the caller has read; one of the two is needed. What a definition may be is checked now: every reference has to name an input that is declared or a step that comes before. Whether there is a tool of that name shows when a session runs it.
         */
        put: operations["setWorkflow"];
        post?: never;
        /**
         * Delete a workflow
         * @description Its runs stay listed, and one that is under way goes on.
         */
        delete: operations["deleteWorkflow"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/workflows/{name}/hide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hide a workflow from the list, or show it again
         * @description A hidden workflow can be read and run by its name. Hiding is no edit: the revision stays.
         */
        post: operations["hideWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agent definitions
         * @description Those of the user (or of the config dir) and, where the cwd header names a folder, of its project, which has the stronger names.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent definition
         * @description In the project that the cwd header names, or else for the user.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/agents/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an agent definition
         * @description The one of the strongest layer. One of the same name in a weaker layer shows then.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/agents/{name}/source": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the text of a definition
         * @description The Markdown file as it is, frontmatter included.
         */
        get: operations["getAgentSource"];
        /**
         * Replace the text of a definition
         * @description Only when it still has the revision the caller has read.
         */
        put: operations["setAgentSource"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/agents/{name}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy a definition
         * @description Within its layer, to a name that is free.
         */
        post: operations["copyAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/agents/{name}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rename a definition
         * @description Within its layer, to a name that is free.
         */
        post: operations["renameAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/agents/{name}/model": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the model of a definition
         * @description An empty text removes it. The rest of the file stays as it is, comments too.
         */
        patch: operations["setAgentModel"];
        trace?: never;
    };
    "/api/v1/agent/agents/{name}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the tools of a definition
         * @description An empty list is all tools. Sessions opened from then on may call these alone.
         */
        patch: operations["setAgentTools"];
        trace?: never;
    };
    "/api/v1/agent/agents/{name}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the turn limit of a definition
         * @description 0 removes it.
         */
        patch: operations["setAgentTurns"];
        trace?: never;
    };
    "/api/v1/agent/hooks/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the rules in force
         * @description The tool-call rules of the settings layers that a session opened with these headers would have; without a folder that is the daemon's own. No session is needed.
         */
        get: operations["getHookRules"];
        put?: never;
        /**
         * Replace the rules of a layer
         * @description The complete list of one layer, written like every other setting: the nonce is spent once it is looked at, and the revision is compared inside the lock that guards the file. When the answer comes, the rules are in force in every live session. The rest of the file stays as it is.
         *
         *     A rule can only ask. `limit` and `check_in` park every call they cover until a person confirms it, in a headless session they deny it, and neither yolo nor an approval rule answers for them. Rules of all layers add up, so a project can add to what the user has and take nothing away.
         */
        post: operations["setHookRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/hooks/begin-write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint a nonce for one write of rules
         * @description Answers a nonce for one write of the rules of one settings file, with the revision they have now.
         */
        post: operations["createHookWriteIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/sessions/{id}/rules/applies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rules that cover a tool
         * @description Which rules of a live session cover a tool and an agent, and whether a call of it is asked about. It runs nothing, and the tool need not be there.
         */
        get: operations["listApplicableRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the change tokens
         * @description One opaque token for each topic. A token that differs from the last one says: list that topic again. Another scope says: list them all. There are no lists of loops and tasks yet: their tokens stand still.
         */
        get: operations["getChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/changes/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the change tokens
         * @description A snapshot, then one frame for each topic that moves, and a new snapshot when the scope changes. There is no resuming: a new stream starts with a new snapshot.
         */
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspaceID}/experimental/resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the resources of MCP servers
         * @description The resources of every connected server of the workspace, all pages of each, without templates. The key is the name, `name (client)` where that is taken, and has the uri too where both are. A server that does not answer within two seconds is left out this time.
         */
        get: operations["listMcpResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspaceID}/experimental/tool": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tool schemas for a model
         * @description The tools that can be called now, each with its input schema in the form the named provider accepts: one of `openai`, `anthropic`, `google`, `mistral`, `groq`, `openrouter` and `ollama`. What the provider has no keyword for is told in descriptions. The id is the name a model calls the tool by, which is also the name a session runs it under. The workspace is looked up before the provider.
         */
        get: operations["listToolSchemas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspaceID}/experimental/tool/ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tool ids
         * @description The ids of the tools that can be called now, the built-in ones first.
         */
        get: operations["listToolIds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspaceID}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tools of a workspace
         * @description Every tool, where it comes from and whether it can be used now. A server that is disabled, failed or starting again has the tools it was last seen with. Ids of MCP tools are `mcp_{server}_{tool}`, with the server, so that they are unique.
         */
        get: operations["listWorkspaceTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description One agent definition. */
        Agent: {
            /** @description 1 to 64 letters, digits, underscores and hyphens. */
            name: string;
            /** @description The layer it is in. */
            provenance: string;
            /** @description The Markdown file. */
            path: string;
            /** @description Of the whole text: `sha256:` and hex digits. */
            revision: string;
            /** @description A weaker layer has a definition of this name. */
            shadows_lower: boolean;
            /** @description From the frontmatter. Absent when there is none, as with the members below. */
            description?: string;
            /** @description From the frontmatter. */
            model?: string;
            /** @description The tools a session that names it may call. */
            tools?: string[];
            /** @description Tools of MCP servers beside them: `server/tool`, `server/*` or the name of the tool list. */
            mcp_tools?: string[];
            /**
             * Format: int32
             * @description From the frontmatter.
             */
            max_turns?: number;
            /** @description The beginning of its prompt. */
            prompt_preview: string;
            /** @description The realm that was asked for. */
            realm: string;
        };
        /** @description A definition after what was asked for. */
        AgentAnswer: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            agent: components["schemas"]["Agent"];
        };
        /** @description The definition is gone. */
        AgentDeleted: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
        };
        /** @description Keys of the frontmatter, such as `description`, `model`, `tools`, `mcp_tools` and `max_turns`; others are kept as they are. */
        AgentFrontmatter: {
            [key: string]: unknown;
        };
        /** @description A window on the definitions. */
        AgentList: {
            /** @description By name. */
            items: components["schemas"]["Agent"][];
            meta: components["schemas"]["ListMeta"];
            /** @description A sentence for each file that is no definition. The others are listed. */
            warnings: string[];
        };
        /** @description A definition as text. */
        AgentSource: {
            /** @description Its name. */
            name: string;
            /** @description The Markdown file. */
            path: string;
            /** @description All of it. */
            content: string;
            /** @description What a replacement has to name. */
            revision: string;
        };
        /** @description An answer: one text, or one for each part of the question. All of them empty is no answer. */
        AnswerGateBody: {
            /** @description The question that is meant; the one that waits when left out. */
            gate_id?: string;
            /**
             * Format: int32
             * @description Of the question that is meant.
             */
            generation?: number;
            /** @description The answer. */
            answer?: string;
            /** @description The answer, when `answer` is blank. */
            text?: string;
            answers?: components["schemas"]["GateAnswers"];
        };
        /** @description Every JSON error of the agent family. */
        ApiError: {
            /** @description Which rule refused the request. An open set: the codes an operation may answer are the example keys of its error responses, and errors.yaml explains each. */
            code: string;
            /** @description For people. Literal where errors.yaml says so, otherwise it names the field and the rule and never a value. */
            message: string;
            details?: components["schemas"]["ErrorDetails"];
        };
        /** @description The rules that cover a tool for an agent, as the gates go by them now. */
        ApplicableRules: {
            /** @description The agent that was asked about; absent when the session has none. */
            agent?: string;
            /** @description The tool that was asked about; absent for any. */
            tool?: string;
            /** @description The tool is listed as read-only. */
            read_only: boolean;
            /** @description A call is asked about. */
            active: boolean;
            /**
             * Format: int32
             * @description How many rules there are.
             */
            count: number;
            /** @description Those that cover it. */
            rules: components["schemas"]["LiveRule"][];
            /** @description The texts are kept from the model. Never so here. */
            prompt_off: boolean;
            /**
             * Format: int32
             * @description Size of the texts for the model.
             */
            prompt_bytes: number;
            /**
             * Format: int32
             * @description How much of them a model should be given.
             */
            prompt_budget_bytes: number;
            /** @description Ids of the rules whose texts no longer fit. */
            prompt_over_budget: string[];
            /** @description Why a person is asked in place of a judge. `jev_disabled`: there is no judge; `rules_incomplete`: a layer or a rule cannot be read. */
            fail_closed_reason?: string;
        };
        /**
         * @description What is said to every run of the tool.
         * @enum {string}
         */
        ApprovalDecision: "allow" | "deny";
        /** @description What is said to every run of a tool. */
        ApprovalRule: {
            /** @description Name of the tool. */
            tool: string;
            decision: components["schemas"]["ApprovalDecision"];
        };
        /** @description All rules of a session. */
        ApprovalRuleList: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description In the order in which they were first set. */
            rules: components["schemas"]["ApprovalRule"][];
        };
        /** @description The revision the caller has seen. */
        ArchiveTodoBody: {
            /**
             * Format: int64
             * @description The revision of the todo that the caller has seen.
             */
            revision: number;
        };
        /** @description The realm requests act in when they name none. */
        AuthRealm: {
            /** @description `global` or 24 lower-case hex digits. */
            id: string;
            /** @description True when every other realm is refused. */
            pinned: boolean;
        };
        /** @description Who the daemon acts for and which realms that login may serve. */
        AuthStatus: {
            /** @description True when there is a login that could be read. */
            connected: boolean;
            /** @description Where the login comes from. */
            source: string;
            /** @description The account sessions belong to. */
            account_id: string;
            /** @description True when requests need a bearer token of the daemon itself. */
            auth_active: boolean;
            /** @description `none`: every realm is served. `realms`: those of `realm_ids`. `unknown`: it could not be read, and realm-scoped requests answer 503 `restriction_unknown`. */
            restriction: string;
            /** @description True when only some realms are served. Absent while that is unknown. */
            restricted?: boolean;
            /** @description The realms that are served. Present only when restricted. */
            realm_ids?: string[];
            /** @description Why the restriction is unknown. */
            restriction_reason?: string;
            realm: components["schemas"]["AuthRealm"];
        };
        /** @description Details of `bad_request` when the request broke the contract. */
        BadRequestDetails: {
            /** @description One row for each violation that was found. */
            errors: components["schemas"]["ContractViolation"][];
        };
        /** @description What is meant; everything that runs when it is left out. */
        CancelSessionBody: {
            /** @description Cancel only this turn. A run of a single tool is no turn and has no id. */
            turn_id?: string;
        };
        /** @description One capability. */
        Capability: {
            /** @description Stable name. */
            name: string;
            /** @description This build has it. */
            supported: boolean;
            /** @description It can be used here and now. */
            available: boolean;
            /** @description What it is. */
            description?: string;
        };
        /** @description One opaque token for each topic that could be read. Compare, never parse or order. */
        ChangeTokenMap: {
            /** @description Moves when the visible sessions could have changed. */
            sessions?: string;
            /** @description Moves when the visible todos could have changed. */
            todos?: string;
            /** @description Moves when the visible workflow runs could have changed. */
            workflow_runs?: string;
            /** @description Moves when the visible loops could have changed. Stands still while there is no list of them. */
            loops?: string;
            /** @description Moves when the visible helper tasks could have changed. Stands still while there is no list of them. */
            tasks?: string;
            /** @description Moves when the visible parked gates could have changed. */
            gates?: string;
            /** @description Moves when the visible agent definitions could have changed, also when a person edits a file. */
            agents?: string;
            /** @description Moves when the tool-call rules of the scope could have changed, also when a person edits a file. */
            rules?: string;
        };
        /** @description One reading of all topics. */
        ChangeTokens: {
            /** @description Opaque: stands for realm and account. Another value means every list must be read again. */
            scope: string;
            tokens: components["schemas"]["ChangeTokenMap"];
            unavailable?: components["schemas"]["UnavailableTopics"];
        };
        /** @description One topic moved. */
        ChangedFrame: {
            /** @description Name of the topic. */
            topic: string;
            /** @description Its token now. */
            token: string;
        };
        /** @description Last frame of a stream the daemon ends. */
        ChangesEndFrame: {
            /** @description Why. */
            reason: string;
        };
        /** @description Who claims it. */
        ClaimTodoBody: {
            /** @description A live session of the caller. */
            session_id: string;
            /** @description What works on it, in the caller's words; more than 200 characters are refused. */
            run_id?: string;
            /**
             * Format: int64
             * @description The revision of the todo that the caller has seen. Needed unless the session has the lease already.
             */
            revision?: number;
        };
        /** @description A comment. */
        CommentTodoBody: {
            /** @description What is said. */
            text: string;
        };
        /** @description A decision. */
        ConfirmGateBody: {
            /** @description Needed; without it the gate stays and the answer is `approved_required`. */
            approved?: boolean;
            /** @description The gate that is meant; the one that waits when left out. */
            gate_id?: string;
            /**
             * Format: int32
             * @description Of the gate that is meant.
             */
            generation?: number;
            /** @description Why not, when it is not approved. */
            reason?: string;
        };
        /** @description One content block of an MCP result. */
        ContentBlock: {
            [key: string]: unknown;
        };
        /** @description One place where a request broke the contract. */
        ContractViolation: {
            /** @description Where: `/body/server/args/0`, `/query/limit`, `/headers/x-hoody-tool-mode`, `/path/name`. */
            pointer: string;
            /** @description Which rule of the schema, for example `required`, `type` or `additionalProperties`. */
            keyword: string;
            /** @description What the rule asks for, never the value that was sent. */
            message: string;
        };
        /** @description A new definition. */
        CreateAgentBody: {
            /** @description 1 to 64 letters, digits, underscores and hyphens. */
            name: string;
            frontmatter?: components["schemas"]["AgentFrontmatter"];
            /** @description The text below the frontmatter. */
            system_prompt?: string;
        };
        /** @description Which write is about to come. */
        CreateHookWriteIntentBody: {
            /** @description A live session. */
            session_id: string;
            /**
             * @description The one write the nonce will allow. Hooks that run commands do not exist here, so nor do writes of them.
             * @enum {string}
             */
            op: "rules_set";
            scope: components["schemas"]["SettingsLayer"];
        };
        /** @description Which write is about to come. */
        CreateMcpWriteIntentBody: {
            /** @description A live session. */
            session_id: string;
            /**
             * @description The one write the nonce will allow.
             * @enum {string}
             */
            op: "upsert" | "delete" | "set_enabled" | "import";
            scope?: components["schemas"]["SettingsLayer"];
        };
        /** @description How the new session stands. Everything but the name is frozen from then on. A member left out falls back to the scope header of the same meaning, then to the daemon's own. */
        CreateSessionBody: {
            /** @description `global` or 24 lower-case hex digits. */
            realm?: string;
            /** @description Absolute path of an existing folder. Default: the folder the daemon was started in. */
            cwd?: string;
            /** @description Absolute path of a `.hoody` install that replaces the user layer. */
            config_dir?: string;
            tool_mode?: components["schemas"]["ToolMode"];
            dir_scope?: components["schemas"]["DirScope"];
            /** @description True: nobody can be asked, so whatever would need a confirmation is refused. Default false. */
            headless?: boolean;
            /** @description Name of the agent definition whose tool list restricts this session. There has to be one. */
            agent?: string;
            /** @description What people call the session, in at most 1,000 characters. */
            name?: string;
            /** @description Id of a recorded session to open again instead of a new one. */
            attach?: string;
        };
        /** @description A new todo. */
        CreateTodoBody: {
            /** @description What is to be done, in a line. */
            title: string;
            /** @description The rest of what there is to say. */
            body?: string;
            /**
             * Format: int32
             * @description 0 is the most urgent; left out, it is 2.
             */
            priority?: number;
            /** @description Each counts once. */
            tags?: components["schemas"]["TodoTag"][];
            /** @description Absolute path of the working folder; left out, the scope header names it. */
            cwd?: string;
        };
        /** @description One entry to remove. */
        DeleteMcpServerBody: {
            /** @description A live session. */
            session_id: string;
            /** @description From `createMcpWriteIntent`, for this op and this layer. */
            nonce: string;
            scope?: components["schemas"]["SettingsLayer"];
            /** @description Name of the entry. */
            name: string;
            /** @description The `mcp_servers` hash the caller last read. For a file that does not exist yet: the hash of an empty list. */
            expect_hash: string;
        };
        /**
         * @description `home`: reads pass in the home folder, writes outside the working directory are asked about. `full`: reads pass everywhere.
         * @enum {string}
         */
        DirScope: "home" | "full";
        /** @description What a program can act on. Its shape depends on the code; the document root lists them under x-error-details. */
        ErrorDetails: {
            [key: string]: unknown;
        };
        /** @description A container whose rules may run. This daemon reaches none, so none can be trusted. */
        ExecTrust: {
            /** @description The container. */
            container_id: string;
            /** @description Its realm. */
            realm: string;
        };
        /** @description Id of a part of the question to its answer. */
        GateAnswers: {
            [key: string]: string;
        };
        /** @description What was decided on a confirmation; not approved is a question that was declined. */
        GateDecision: {
            /** @description Yes or no. */
            approved: boolean;
        };
        /** @description A window on the gates the caller may see. */
        GateList: {
            /** @description The one that waits longest first. */
            items: components["schemas"]["GateRow"][];
            meta: components["schemas"]["GateListMeta"];
        };
        /** @description How much there is, and which window this is. */
        GateListMeta: {
            /**
             * Format: int32
             * @description Size of the whole list.
             */
            total: number;
            /**
             * Format: int32
             * @description 1-based. Present only when a limit was asked for.
             */
            page?: number;
            /**
             * Format: int32
             * @description Present only when a limit was asked for.
             */
            limit?: number;
            /**
             * Format: int32
             * @description Gates left out because they changed while they were read.
             */
            omitted: number;
        };
        /** @description Details of `gate_parked`. */
        GateParkedDetails: {
            pending_gate: components["schemas"]["PendingGate"];
        };
        /** @description One part of a question, answered on its own. */
        GateQuestion: {
            /** @description Names the part in `answers`. */
            id: string;
            /** @description What kind of answer is expected, in a word. */
            category?: string;
            /** @description For the person who answers. */
            question: string;
            /** @description The only answers that fit. Absent when anything does. */
            options?: string[];
        };
        /** @description How a gate ended. */
        GateResolution: {
            /** @description The gate. */
            gate_id: string;
            /**
             * Format: int32
             * @description Of the gate.
             */
            generation: number;
            /** @description `answered` by a person, `cancelled` with the run that asked, or nobody answered in time. */
            outcome: string;
            decision?: components["schemas"]["GateDecision"];
        };
        /** @description The gate is resolved, and its run goes on. */
        GateResolved: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            resolved: components["schemas"]["GateResolution"];
        };
        /** @description A gate and the session that waits for it. */
        GateRow: {
            /** @description The session that waits. */
            session_id: string;
            /** @description Its realm. */
            realm: string;
            /** @description Names the gate when it is answered. */
            gate_id: string;
            /**
             * Format: int32
             * @description Tells it from other gates of the session.
             */
            generation: number;
            /** @description What is waited for. */
            kind: string;
            /** @description The agent the session was opened for. */
            agent?: string;
            /**
             * Format: date-time
             * @description Since when it waits.
             */
            parked_at: string;
            gate: components["schemas"]["PendingGate"];
        };
        /** @description That the daemon answers, and what it costs. It says nothing about MCP servers or sessions. */
        Health: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description Name of the program. */
            service: string;
            /** @description Version of the build. */
            built: string;
            /**
             * Format: date-time
             * @description When the process started.
             */
            started: string;
            memory: components["schemas"]["HealthMemory"];
            /**
             * Format: int32
             * @description Open file descriptors; 0 where the system does not tell.
             */
            fds: number;
            /**
             * Format: int32
             * @description Process id of the daemon.
             */
            pid: number;
            /** @description Address this request came from. */
            ip: string;
            /** @description The User-Agent header of this request, or an empty string. */
            userAgent: string;
        };
        /** @description Bytes. */
        HealthMemory: {
            /**
             * Format: int64
             * @description Resident set.
             */
            rss: number;
            /**
             * Format: int64
             * @description JavaScript heap in use.
             */
            heap: number;
        };
        /** @description Whether it is hidden. */
        HideWorkflowBody: {
            /** @description Default true. */
            hidden?: boolean;
        };
        /** @description The rules in force for a folder. */
        HookRules: {
            rules: components["schemas"]["RuleSet"];
        };
        /** @description Written, and in force in every live session. */
        HookRulesWritten: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description The file that was written. */
            path: string;
            /** @description Of the rules it holds now. */
            revision: string;
            rules: components["schemas"]["RuleSet"];
        };
        /** @description A nonce and what it was minted against. */
        HookWriteIntent: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description Single use, expires, and is bound to session, op and path. */
            nonce: string;
            /** @description The file the write will change. */
            path: string;
            /** @description Of the rules it holds now. */
            revision: string;
        };
        /** @description A batch to write: either `document` or `servers`, not both. */
        ImportMcpServersBody: {
            /** @description A live session. */
            session_id: string;
            /** @description From `createMcpWriteIntent`, for this op and this layer. */
            nonce: string;
            scope?: components["schemas"]["SettingsLayer"];
            /** @description The pasted text, in any of the dialects. */
            document?: string;
            /** @description The entries themselves. */
            servers?: components["schemas"]["McpServerEntry"][];
            /** @description Overwrite entries of the same name. Without it a name that exists refuses the whole batch. */
            replace?: boolean;
            /** @description The `mcp_servers` hash the caller last read. For a file that does not exist yet: the hash of an empty list. */
            expect_hash: string;
        };
        /** @description Work that goes on in the background. Kept for an hour after its end, also over a restart. */
        Job: {
            /** @description Names the job. */
            job_id: string;
            /** @description What kind of work it is. */
            kind: string;
            /** @description The session it belongs to. Absent when it belongs to none. */
            session_id?: string;
            /** @description The workflow run it works on. Absent on other kinds. */
            run_id?: string;
            status: components["schemas"]["JobStatus"];
            result: components["schemas"]["JobResult"];
            error: components["schemas"]["JobError"];
            /**
             * Format: date-time
             * @description When it was accepted.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its status last changed.
             */
            updated_at: string;
        };
        /** @description The run goes on in the background. */
        JobAccepted: {
            /** @description Poll its result with it. */
            job_id: string;
        };
        /** @description What became of the job. Exactly one of the two flags is present. */
        JobDeleted: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description It was not over, and is canceled now. */
            canceled?: boolean;
            /** @description It was over, and its record is gone. */
            deleted?: boolean;
        };
        /** @description Why the job failed, as the plain run would have answered it; null unless it failed. */
        JobError: {
            /** @description An error code, or `interrupted` when the daemon stopped before the job was over. */
            code: string;
            /** @description For people. */
            message: string;
            details?: components["schemas"]["ErrorDetails"];
        } | null;
        /** @description How a job ended. `result` and `error` are both present once it is over, and both absent before. */
        JobOutcome: {
            status: components["schemas"]["JobStatus"];
            result?: components["schemas"]["JobResult"];
            error?: components["schemas"]["JobError"];
        };
        /** @description What the run answered, as the plain run would have, or the workflow run as `getWorkflowRun` answers it; null unless the job succeeded. */
        JobResult: {
            [key: string]: unknown;
        } | null;
        /**
         * @description `pending` and `running` go on; the others are final.
         * @enum {string}
         */
        JobStatus: "pending" | "running" | "succeeded" | "failed" | "canceled";
        /** @description A JSON Schema. */
        JsonSchema: {
            [key: string]: unknown;
        };
        /** @description How much there is, and which window this is. */
        ListMeta: {
            /**
             * Format: int32
             * @description Size of the whole list.
             */
            total: number;
            /**
             * Format: int32
             * @description 1-based. Present only when a limit was asked for.
             */
            page?: number;
            /**
             * Format: int32
             * @description Present only when a limit was asked for.
             */
            limit?: number;
        };
        /** @description One rule as it is in force. */
        LiveRule: {
            /** @description What the rule is called by within its layer, at most 64 characters without control characters. */
            id: string;
            /** @description The rule in words, shown to whoever is asked. */
            text: string;
            kind: components["schemas"]["RuleKind"];
            /** @description Names of tools, in any letter case, with `*` for any characters: `bash`, `mcp__github__*`. None or left out is every tool that can change something, and every tool of an MCP server, but not `ask_question_to_user`. */
            tools?: string[];
            /** @description Only sessions of these agents. None or left out is all of them. */
            agents?: string[];
            /** @description `checked` is asked about before a call, `prompt` is a text for the model. */
            applies_as: string;
            scope: components["schemas"]["SettingsLayer"];
            /** @description The settings file it is in. */
            source: string;
        };
        /** @description Values may refer to variables of the daemon's environment as `${VAR}` or `${VAR:-default}`. On an upsert a key that is sent sets that one value, null deletes it, and an empty map deletes all. */
        McpCredentialMap: {
            [key: string]: string | null;
        };
        /** @description One entry an import would write, without credential values. */
        McpImportEntry: {
            /** @description Key of the entry. */
            name: string;
            type: components["schemas"]["McpTransport"];
            /** @description Present for stdio. */
            command?: string;
            /** @description Present for stdio. */
            args?: string[];
            /** @description Present for remote servers. */
            url?: string;
            /** @description Names of the environment variables. */
            env_keys: string[];
            /** @description Names of the headers. */
            header_keys: string[];
            /** @description Present only when the entry restricts its tools. */
            allowed_tools?: string[];
            /** @description Present only when the entry asks for it. */
            require_confirmation?: boolean;
        };
        /** @description What an import of the document would write. Nothing was written. */
        McpImportPreview: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /**
             * @description How the document was read: `hoody` a `mcp_servers` list, `claude` a `mcpServers` map (Cursor too), `vscode` a `servers` map, `single` one server object, `bare` a map from name to server.
             * @enum {string}
             */
            dialect: "hoody" | "claude" | "vscode" | "single" | "bare";
            /** @description In the order of the document. */
            servers: components["schemas"]["McpImportEntry"][];
            /**
             * Format: int32
             * @description Number of entries.
             */
            count: number;
            /** @description What will not work as written. Always present. */
            warnings: string[];
        };
        /** @description The file as written, and what it did to the live sessions. */
        McpImportResult: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /**
             * Format: int32
             * @description Live sessions whose connect half ran or was started: the caller's own before this reply, the others in the background.
             */
            sessions: number;
            /**
             * Format: int32
             * @description Live sessions with a layer that could not be read. They lost whatever the readable layers do not define, and connected nothing.
             */
            partial_sessions: number;
            /**
             * Format: int32
             * @description Builds that were cut off, counted once for each session that held them. Complete before this reply.
             */
            revoked: number;
            /**
             * Format: int32
             * @description Sessions other than the caller's whose reconnect was left to the background pass.
             */
            deferred_sessions: number;
            /** @description False when that pass was skipped because it was busy; those sessions catch up on the next write or reconnect. */
            deferred_started: boolean;
            /** @description The effective servers of the named session afterwards. Read `connected` for the outcome. */
            servers: components["schemas"]["McpServer"][];
            /** @description Warnings of the session's layers, then those about the document. Always present. */
            warnings: string[];
            /** @description The file that was written. */
            path: string;
            /** @description Hash of its `mcp_servers` after the write; good as the next `expect_hash`. */
            hash: string;
            /**
             * Format: int32
             * @description How many entries were written.
             */
            imported: number;
        };
        /** @description What re-reading the layers did to the live sessions. */
        McpReconnectResult: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /**
             * Format: int32
             * @description Live sessions whose connect half ran or was started: the caller's own before this reply, the others in the background.
             */
            sessions: number;
            /**
             * Format: int32
             * @description Live sessions with a layer that could not be read. They lost whatever the readable layers do not define, and connected nothing.
             */
            partial_sessions: number;
            /**
             * Format: int32
             * @description Builds that were cut off, counted once for each session that held them. Complete before this reply.
             */
            revoked: number;
            /**
             * Format: int32
             * @description Sessions other than the caller's whose reconnect was left to the background pass.
             */
            deferred_sessions: number;
            /** @description False when that pass was skipped because it was busy; those sessions catch up on the next write or reconnect. */
            deferred_started: boolean;
            /** @description The effective servers of the named session afterwards. Read `connected` for the outcome. */
            servers: components["schemas"]["McpServer"][];
            /** @description Warnings of the session's layers. Always present. */
            warnings: string[];
        };
        /** @description One resource of a connected MCP server. */
        McpResource: {
            /** @description Its name. */
            name: string;
            /** @description Its address inside the server. */
            uri: string;
            /** @description What it is. */
            description?: string;
            /** @description Its media type. */
            mimeType?: string;
            /** @description Name of the server that has it. */
            client: string;
        };
        /** @description Resources by name. A name that two servers share becomes `name (client)`. */
        McpResourceMap: {
            [key: string]: components["schemas"]["McpResource"];
        };
        /** @description One effective server of a session: its entry without credential values, and the runtime of the build the session holds for it. */
        McpServer: {
            /** @description Key of the entry. */
            name: string;
            scope: components["schemas"]["SettingsLayer"];
            transport: components["schemas"]["McpTransport"];
            /** @description A disabled entry keeps its settings and is neither started nor offered. */
            enabled: boolean;
            /** @description Every call waits for a person. */
            require_confirmation: boolean;
            /** @description The build is up and initialized right now. */
            connected: boolean;
            /** @description Echoed as written. Present when the entry has one. */
            command?: string;
            /** @description Echoed as written. Present with `command`; empty when the entry has none. */
            args?: string[];
            /** @description Echoed as written, so a token inside it is shown. Present when the entry has one. */
            url?: string;
            /** @description Present only when the entry restricts its tools. An empty list offers none. */
            allowed_tools?: string[];
            /** @description Names of the environment variables of the entry, sorted. Values are never returned. */
            env_keys: string[];
            /** @description Names of the headers of the entry, sorted. Values are never returned. */
            header_keys: string[];
            /** @description Revision negotiated with the server. This and the next four stay while the session holds a build that connected once, also after it died or was revoked. */
            protocol_version?: string;
            /** @description Name the server gave itself. */
            server_name?: string;
            /** @description Version the server gave itself. */
            server_version?: string;
            /**
             * Format: int32
             * @description How many tools it listed.
             */
            tool_count?: number;
            /**
             * Format: int32
             * @description Process id of the child; 0 for remote servers.
             */
            pid?: number;
            /** @description Present, and true, only when the build was cut off. */
            revoked?: boolean;
            /** @description Present only with `revoked`. */
            revoked_reason?: string;
            /** @description The last lines the child wrote to stderr, known secrets replaced. Present only when there are any. They are the child's own words. */
            stderr_tail?: string[];
        };
        /** @description One entry as a settings file has it. On an upsert every member but the name is optional: what is left out keeps its stored value. Unknown members are kept. Names, aliases, letter case and re-pointing follow the rules of `upsertMcpServer`. */
        McpServerEntry: {
            /** @description Letters, digits, `_` and `-`, at most 64, no `__`, and neither `hoody` nor `mcp` in any case. */
            name: string;
            /** @description `stdio` (default), `http` (also `url`, `streamable`, `streamable-http`) or `sse`, in any letter case. */
            type?: string;
            /** @description Program to start, for stdio. */
            command?: string;
            /** @description Its arguments. */
            args?: string[];
            /** @description Address, for remote servers. */
            url?: string;
            env?: components["schemas"]["McpCredentialMap"];
            headers?: components["schemas"]["McpCredentialMap"];
            /** @description The only tools that are offered and can be called. */
            allowed_tools?: string[];
            /** @description Ask a person before every call. */
            require_confirmation?: boolean;
            /** @description Default true. */
            enabled?: boolean;
        };
        /** @description The effective servers and the files behind them. */
        McpServerList: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description One row for each effective entry. */
            servers: components["schemas"]["McpServer"][];
            /** @description Every layer of the session that could be read, weakest first. */
            files: components["schemas"]["McpSettingsFile"][];
            /** @description Layers that could not be read and entries that were dropped. Always present. */
            warnings: string[];
        };
        /** @description One settings file of the session. */
        McpSettingsFile: {
            /** @description Absolute path, also when the file does not exist yet. */
            path: string;
            layer: components["schemas"]["SettingsLayer"];
            /** @description `sha256:` and the digest of its `mcp_servers`. A missing file has the hash of an empty list. */
            hash: string;
        };
        /**
         * @description How the server is reached: a child process, Streamable HTTP, or the older HTTP with SSE.
         * @enum {string}
         */
        McpTransport: "stdio" | "http" | "sse";
        /** @description A nonce and what it was minted against. */
        McpWriteIntent: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description Single use, expires, and is bound to session, op and path. */
            nonce: string;
            /** @description The file the write will change. */
            path: string;
            /** @description Hash of its `mcp_servers` now; send it back as `expect_hash`. */
            hash: string;
        };
        /** @description The file as written, and what it did to the live sessions. */
        McpWriteResult: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /**
             * Format: int32
             * @description Live sessions whose connect half ran or was started: the caller's own before this reply, the others in the background.
             */
            sessions: number;
            /**
             * Format: int32
             * @description Live sessions with a layer that could not be read. They lost whatever the readable layers do not define, and connected nothing.
             */
            partial_sessions: number;
            /**
             * Format: int32
             * @description Builds that were cut off, counted once for each session that held them. Complete before this reply.
             */
            revoked: number;
            /**
             * Format: int32
             * @description Sessions other than the caller's whose reconnect was left to the background pass.
             */
            deferred_sessions: number;
            /** @description False when that pass was skipped because it was busy; those sessions catch up on the next write or reconnect. */
            deferred_started: boolean;
            /** @description The effective servers of the named session afterwards. Read `connected` for the outcome. */
            servers: components["schemas"]["McpServer"][];
            /** @description Warnings of the session's layers. Always present. */
            warnings: string[];
            /** @description The file that was written. */
            path: string;
            /** @description Hash of its `mcp_servers` after the write; good as the next `expect_hash`. */
            hash: string;
        };
        /** @description The new name. */
        NameAgentBody: {
            /** @description 1 to 64 letters, digits, underscores and hyphens. */
            new_name: string;
        };
        /** @description This contract, less the operations this build does not serve yet. */
        OpenapiDocument: {
            [key: string]: unknown;
        };
        /** @description A question or a confirmation that waits for an answer. Absent where nothing waits. An error that refuses another run because of it has the first three members only. */
        PendingGate: {
            /** @description Names this gate when it is answered. */
            id: string;
            /**
             * Format: int32
             * @description Grows with every gate of the session, so that a late answer cannot hit the next one.
             */
            generation: number;
            /** @description What is waited for. */
            type: string;
            /** @description The tool whose run waits. */
            tool_name?: string;
            /** @description Which rule asks, in a word. On confirmations. */
            gate_cause?: string;
            /** @description What is asked about, and why. On confirmations, which have the `params` of the call as well. */
            detail?: string;
            params?: components["schemas"]["ToolParams"];
            /** @description What is asked. The words of a model or of an MCP server, so not to be trusted. */
            question?: string;
            /** @description The only answers that fit, when there is one thing to answer. Absent when anything fits. */
            options?: string[];
            /** @description What an answer could look like. */
            placeholder?: string;
            /** @description What kind of question it is, in a word. */
            category?: string;
            /** @description The parts to answer one by one. Absent when there is one free answer. */
            questions?: components["schemas"]["GateQuestion"][];
        };
        /** @description A document to look at. */
        PreviewMcpImportBody: {
            /** @description A live session. */
            session_id: string;
            /** @description The pasted text, in any of the dialects. */
            document: string;
        };
        /** @description Whose reconnect is awaited. */
        ReconnectMcpBody: {
            /** @description A live session. */
            session_id: string;
        };
        /** @description Who gives it back, and how it went. */
        ReleaseTodoBody: {
            /** @description The session that has the lease; it may have ended. */
            session_id: string;
            outcome: components["schemas"]["TodoOutcome"];
            /** @description What was done, for the timeline. */
            summary?: string;
            /** @description What a person has to say before it goes on. */
            question_for_human?: string;
        };
        /** @description The one member of a session that can change. */
        RenameSessionBody: {
            /** @description An empty string clears the name; more than 1,000 characters are refused. */
            name: string;
        };
        /** @description What is there now. */
        RevisionConflictDetails: {
            /** @description The revision it has now. */
            current_revision: string;
        };
        /** @description One rule as it is stored. Members that are not listed here and are in the file already are kept. */
        RuleEntry: {
            /** @description What the rule is called by within its layer, at most 64 characters without control characters. */
            id: string;
            /** @description The rule in words, shown to whoever is asked. */
            text: string;
            kind: components["schemas"]["RuleKind"];
            /** @description Names of tools, in any letter case, with `*` for any characters: `bash`, `mcp__github__*`. None or left out is every tool that can change something, and every tool of an MCP server, but not `ask_question_to_user`. */
            tools?: string[];
            /** @description Only sessions of these agents. None or left out is all of them. */
            agents?: string[];
        };
        /**
         * @description `limit` and `check_in` are checked before a covered call: nothing here can judge their text, so a person is asked. `guidance` and `playbook` are texts for the model and stop nothing.
         * @enum {string}
         */
        RuleKind: "limit" | "check_in" | "guidance" | "playbook";
        /** @description A settings layer and what its rules are at. */
        RuleScope: {
            scope: components["schemas"]["SettingsLayer"];
            /** @description Of its rules and their time limit; send it back as `expected_revision`. */
            revision: string;
        };
        /** @description The rules of all layers together. They add up, so no layer takes away what another one says. */
        RuleSet: {
            /** @description From the user layer to the local one, each in the order of its file. */
            live: components["schemas"]["LiveRule"][];
            /**
             * Format: int32
             * @description How long a judge of rules may take. The strongest layer that says one counts.
             */
            timeout_ms: number;
            /** @description The layers that can be read, missing files included. */
            scopes: components["schemas"]["RuleScope"][];
            /** @description Empty; this daemon reaches no containers. */
            exec_trust: components["schemas"]["ExecTrust"][];
            /** @description Settings files that cannot be read. */
            warnings: string[];
            /** @description Rules that cannot be read, or that name a tool nobody has. */
            rule_warnings: string[];
            /** @description False when a layer or a rule cannot be read. Until that is repaired, every call a rule without tools would cover is asked about. */
            rules_complete: boolean;
        };
        /** @description One run. Open: unknown members are ignored, and control keys (`confirmed`, anything starting with `_`) are dropped. */
        RunToolBody: {
            params?: components["schemas"]["ToolParams"];
            /** @description Repeat a run that was asked about. It needs `confirm_token`: alone it confirms nothing. */
            confirm?: boolean;
            /** @description From the details of the 409. */
            confirm_token?: string;
            /** @description Permission for a tool that is not read-only, in runs without a session. Ignored inside a session. */
            allow_mutations?: boolean;
        };
        /** @description What a run is given. */
        RunWorkflowBody: {
            inputs?: components["schemas"]["WorkflowValues"];
        };
        /** @description One session. */
        Session: {
            /** @description Opaque; a client may rely on the prefix `sess_` alone. */
            id: string;
            /** @description Empty when it has none. */
            name: string;
            /** @description `global` or 24 lower-case hex digits. */
            realm: string;
            /** @description Working directory of the session, and of the processes it starts. */
            cwd: string;
            /** @description The install that replaces the user layer. Absent when there is none. */
            config_dir?: string;
            tool_mode: components["schemas"]["ToolMode"];
            dir_scope: components["schemas"]["DirScope"];
            /** @description True when nobody can be asked. */
            headless: boolean;
            /** @description The agent definition. Absent when there is none. */
            agent?: string;
            /** @description Id of the working directory in the workspaces family. */
            workspace_id: string;
            /** @description True while this daemon holds the session; a closed one stays as a record. */
            live: boolean;
            /** @description True while a caller can act on it. */
            attached: boolean;
            /** @description True while another daemon on the same store holds the session. It can be read here, and not attached or changed. */
            live_elsewhere: boolean;
            /**
             * Format: date-time
             * @description When it opened.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When it was last used.
             */
            last_request_at: string;
        };
        /** @description What a session is allowed without being asked each time. It starts empty and ends with the live session. */
        SessionApproval: {
            /** @description Who is asked: `default` asks where a gate does. */
            mode: string;
            /** @description True when it can no longer be changed. */
            locked: boolean;
            /**
             * Format: int64
             * @description Grows with every change.
             */
            revision: number;
            /** @description As set by setSessionYolo. */
            yolo: boolean;
            /** @description True while the write permission is given without asking. */
            auto_write: boolean;
            /** @description True while work outside the folder of the session is not asked about. */
            auto_dir_access: boolean;
            /** @description In the order in which they were first set. */
            rules: components["schemas"]["ApprovalRule"][];
        };
        /** @description Whether there was something to cancel. */
        SessionCancelled: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description As asked for. */
            turn_id?: string;
            /** @description False when nothing ran, or not the turn that was named. */
            matched: boolean;
        };
        /** @description The session is closed and what it alone held is gone. */
        SessionClosed: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
        };
        /** @description A session that just opened. Its MCP servers connect in the background. */
        SessionCreated: {
            /** @description Opaque; a client may rely on the prefix `sess_` alone. */
            session_id: string;
            started: components["schemas"]["SessionPosture"];
        };
        /** @description Working folders of the caller's sessions. */
        SessionCwds: {
            /** @description Each once, the folder of the newest session first. */
            cwds: string[];
        };
        /** @description What was done to the session. */
        SessionDeleted: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description True when it was live and has been closed. */
            closed: boolean;
            /** @description True when its record was erased too. */
            hard: boolean;
        };
        /** @description One session and what it waits for. */
        SessionDetail: {
            session: components["schemas"]["Session"];
            /** @description True while a caller can act on it. */
            attached: boolean;
            started: components["schemas"]["SessionPosture"];
            pending_gate?: components["schemas"]["PendingGate"];
        };
        /** @description A window on the sessions the caller may see. */
        SessionList: {
            /** @description Newest first. */
            items: components["schemas"]["Session"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description What was frozen when the session opened. */
        SessionPosture: {
            /** @description `global` or 24 lower-case hex digits. */
            realm: string;
            /** @description Working directory of the session, and of the processes it starts. */
            cwd: string;
            /** @description The install that replaces the user layer. Absent when there is none. */
            config_dir?: string;
            tool_mode: components["schemas"]["ToolMode"];
            dir_scope: components["schemas"]["DirScope"];
            /** @description True when nobody can be asked. */
            headless: boolean;
            /** @description The agent definition. Absent when there is none. */
            agent?: string;
            /** @description Id of the working directory in the workspaces family. */
            workspace_id: string;
        };
        /** @description The name as it is now. */
        SessionRenamed: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description Empty when it was cleared. */
            name: string;
        };
        /** @description What a session is doing right now. */
        SessionState: {
            /** @description The session that was asked about. */
            session_id: string;
            /** @description True while this daemon holds it. */
            live: boolean;
            /** @description True while another daemon on the same store holds it, which alone knows what it does. */
            live_elsewhere: boolean;
            /** @description Opaque; another value means the daemon was restarted in between. */
            epoch: string;
            /**
             * @description `running` occupies the turn slot; `parked` waits for an answer; `closed` is not live in this daemon.
             * @enum {string}
             */
            state: "idle" | "running" | "parked" | "closed";
            pending_gate?: components["schemas"]["PendingGate"];
        };
        /** @description One tool a session may call. */
        SessionTool: {
            /** @description Its key; `mcp__server__tool` for tools of MCP servers. */
            name: string;
            /** @description What it does, for the model. */
            description: string;
            /** @description It changes nothing, or says so of itself. */
            read_only: boolean;
        };
        /** @description A window on the tools of a session. */
        SessionToolList: {
            /** @description In a stable order. */
            items: components["schemas"]["SessionTool"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description How it is set now. */
        SessionYolo: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /** @description On or off. */
            yolo: boolean;
        };
        /** @description The model. */
        SetAgentModelBody: {
            /** @description Free text; empty removes it. */
            model: string;
        };
        /** @description The new text, and the revision it is meant for. */
        SetAgentSourceBody: {
            /** @description The whole Markdown file. */
            content: string;
            /** @description The revision the caller has read. */
            expected_revision: string;
        };
        /** @description The tools. */
        SetAgentToolsBody: {
            /** @description Names of the tool list; empty is all of them. */
            tools: string[];
        };
        /** @description The turn limit. */
        SetAgentTurnsBody: {
            /**
             * Format: int32
             * @description 0 removes the limit.
             */
            turns: number;
        };
        /** @description The rule for one tool. */
        SetApprovalRuleBody: {
            decision: components["schemas"]["ApprovalDecision"];
        };
        /** @description The rules a layer is to have. What is left out stays as it is; something has to be given. */
        SetHookRulesBody: {
            /** @description The session of the nonce. */
            session_id: string;
            /** @description From a write intent with op `rules_set`. */
            nonce: string;
            scope?: components["schemas"]["SettingsLayer"];
            /** @description The complete list, at most 32 that are checked and 32 that are not. Ids are unique. */
            rules?: components["schemas"]["RuleEntry"][];
            /**
             * Format: int32
             * @description From 100 on; 0 removes it from the layer. Where no layer says one it is 3000.
             */
            timeout_ms?: number;
            /** @description Only an empty list is taken, because this daemon reaches no containers. */
            exec_trust?: components["schemas"]["ExecTrust"][];
            /** @description The revision that was read. Left out, the one the nonce was minted against. */
            expected_revision?: string;
        };
        /** @description One entry to switch. */
        SetMcpServerEnabledBody: {
            /** @description A live session. */
            session_id: string;
            /** @description From `createMcpWriteIntent`, for this op and this layer. */
            nonce: string;
            scope?: components["schemas"]["SettingsLayer"];
            /** @description Name of the entry. */
            name: string;
            /** @description True to enable, false to disable. */
            enabled: boolean;
            /** @description The `mcp_servers` hash the caller last read. For a file that does not exist yet: the hash of an empty list. */
            expect_hash: string;
        };
        /** @description Whether a session writes unasked. */
        SetSessionYoloBody: {
            /** @description On or off. */
            enabled: boolean;
        };
        /** @description A definition, and what it is meant to replace. */
        SetWorkflowBody: {
            definition: components["schemas"]["WorkflowDefinition"];
            /** @description The revision the caller has read. Goes without `expected_absent`. */
            expected_revision?: string;
            /** @description True: there is none of that name yet. */
            expected_absent?: boolean;
        };
        /**
         * @description Which settings file. From weak to strong: `user`, `project`, `local`.
         * @enum {string}
         */
        SettingsLayer: "user" | "project" | "local";
        /** @description Until when a todo sleeps. */
        SnoozeTodoBody: {
            /** @description A time with its offset, as in RFC 3339, of a day there is and in UTC no later than 9999. Empty ends the sleep. */
            wake_at: string;
            /**
             * Format: int64
             * @description The revision of the todo that the caller has seen.
             */
            revision: number;
        };
        /** @description Details of `stale_gate`: the gate that waits instead. */
        StaleGateDetails: {
            /** @description The gate that waits. */
            gate_id: string;
            /**
             * Format: int32
             * @description Of that gate.
             */
            generation: number;
            /** @description What is waited for. */
            type: string;
        };
        /** @description The structured content of an MCP result. */
        StructuredContent: {
            [key: string]: unknown;
        };
        /** @description A candidate that would be started. */
        TestMcpServerBody: {
            /** @description A live session; it supplies deny list and transport policy. */
            session_id: string;
            server: components["schemas"]["McpServerEntry"];
        };
        /** @description One todo. */
        Todo: {
            /** @description Opaque; a client may rely on the prefix `todo_` alone. */
            id: string;
            /**
             * Format: int64
             * @description Counts up within account and realm.
             */
            num: number;
            /**
             * Format: int64
             * @description Counts the edits. An edit names the revision it was made from.
             */
            revision: number;
            /** @description What is to be done, in a line. */
            title: string;
            /** @description The rest of what there is to say. Empty when there is none. */
            body: string;
            state: components["schemas"]["TodoState"];
            /**
             * Format: int32
             * @description 0 is the most urgent, 4 the least.
             */
            priority: number;
            /** @description Order among todos of one priority, smaller first. */
            rank: number;
            /** @description In the order they were given. */
            tags: string[];
            /** @description The working folder it belongs to. */
            cwd: string;
            /** @description The install it belongs to. Absent when there is none. */
            config_dir?: string;
            /** @description `global` or 24 lower-case hex digits. */
            realm: string;
            /**
             * Format: int32
             * @description Comments on its timeline.
             */
            comment_count: number;
            /**
             * Format: date-time
             * @description The last edit or comment.
             */
            last_activity: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The last edit.
             */
            updated_at: string;
            lease?: components["schemas"]["TodoLease"];
            /**
             * Format: int32
             * @description How often work on it began.
             */
            attempts: number;
            /** @description A worker that stopped asks something. */
            needs_human: boolean;
            /** @description What it asks. Absent when nothing. */
            question_for_human?: string;
            /**
             * Format: date-time
             * @description Until when it sleeps. Absent when it does not.
             */
            wake_at?: string;
            /**
             * Format: date-time
             * @description When it was archived. Absent when it is not.
             */
            archived_at?: string;
            /**
             * Format: date-time
             * @description When it was done or dropped. Absent while it is neither.
             */
            closed_at?: string;
        };
        /** @description A todo after what was asked for. */
        TodoAnswer: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            todo: components["schemas"]["Todo"];
        };
        /** @description What the todo is at. */
        TodoConflictDetails: {
            /**
             * Format: int64
             * @description The revision it has now.
             */
            current_revision: number;
        };
        /** @description A todo with what happened to it. */
        TodoDetail: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            todo: components["schemas"]["Todo"];
            /** @description Oldest first. */
            timeline: components["schemas"]["TodoEvent"][];
        };
        /** @description One thing that happened to a todo. */
        TodoEvent: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description What. */
            kind: string;
            /** @description Of an edit, the members it named. */
            fields?: string[];
            from?: components["schemas"]["TodoState"];
            to?: components["schemas"]["TodoState"];
            /** @description Of a comment. */
            text?: string;
            /** @description Of a claim and a release, whose. */
            session_id?: string;
            outcome?: components["schemas"]["TodoOutcome"];
            /** @description Of a release, what was done. */
            summary?: string;
            /**
             * Format: date-time
             * @description Of a snooze, until when. Absent when it ended a sleep.
             */
            wake_at?: string;
        };
        /** @description The right to work on a todo. */
        TodoLease: {
            /** @description The session that has it. */
            session_id: string;
            /** @description What works on it. Absent when the claim did not say. */
            run_id?: string;
            /**
             * Format: date-time
             * @description When the work began.
             */
            acquired_at: string;
            /**
             * Format: date-time
             * @description From then on another session may take it.
             */
            expires_at: string;
        };
        /** @description A window on the todos the caller may see. */
        TodoList: {
            /** @description By priority, rank and number, or the last closed first, as was asked for. */
            items: components["schemas"]["Todo"][];
            meta: components["schemas"]["ListMeta"];
            /**
             * Format: int64
             * @description The count of getTodosRevision, taken before the list was read.
             */
            revision: number;
        };
        /**
         * @description How work on a todo ended.
         * @enum {string}
         */
        TodoOutcome: "done" | "blocked" | "failed" | "cancelled";
        /**
         * @description Where a todo stands. Moves: inbox to ready, blocked, dropped; ready to blocked, dropped, inbox; blocked to ready, inbox, dropped; in_progress to review, ready, blocked, dropped; review to done, ready, dropped; done and dropped to inbox, ready. No edit leads to in_progress: a claim does.
         * @enum {string}
         */
        TodoState: "inbox" | "ready" | "blocked" | "in_progress" | "review" | "done" | "dropped";
        /** @description A word without commas and blanks. */
        TodoTag: string;
        /** @description What a purge erased. */
        TodosPurged: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            /**
             * Format: int32
             * @description How many todos.
             */
            purged: number;
        };
        /** @description How often the todos of the scope changed. */
        TodosRevision: {
            /**
             * Format: int64
             * @description Grows with each change.
             */
            revision: number;
        };
        /** @description One built-in tool. */
        Tool: {
            /** @description Its key. */
            name: string;
            /** @description What it does, for the model. */
            description: string;
            /** @description It changes nothing. */
            read_only: boolean;
            input_schema: components["schemas"]["JsonSchema"];
        };
        /** @description Built-in tools by name, those of MCP servers as `mcp:server:tool`. */
        ToolIdList: string[];
        /** @description A window on the catalogue. */
        ToolList: {
            /** @description In a stable order. */
            items: components["schemas"]["Tool"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description `full` (also called `standard`) offers every tool; `read_only` only those that change nothing; `orchestrator` those and running workflows, whose steps may use every tool.
         * @enum {string}
         */
        ToolMode: "full" | "read_only" | "standard" | "orchestrator";
        /** @description Details of `tool_needs_confirmation`: all that is needed to send the same run again, confirmed. */
        ToolNeedsConfirmationDetails: {
            /** @description The tool that was not run. */
            tool: string;
            params: components["schemas"]["ToolParams"];
            /** @description Single use, and bound to this tool, these parameters and this session. */
            confirm_token: string;
            /** @description Which gates ask, in words for the person who decides. */
            reasons?: string[];
        };
        /** @description Input of the tool, checked against the tool's own schema. */
        ToolParams: {
            [key: string]: unknown;
        };
        /** @description What the tool answered. A tool that failed or was refused by policy is a result too. */
        ToolResult: {
            /** @description The opposite of `is_error`. */
            ok: boolean;
            /** @description For the model. */
            output: string;
            /** @description Present when the tool failed or was refused. */
            is_error?: boolean;
            /** @description Present only with `is_error`. */
            error_code?: string;
            /** @description What to do next. */
            hint?: string;
            /** @description Present when the output was cut. */
            truncated?: boolean;
            /**
             * Format: int64
             * @description Size before the cut. Present only with `truncated`.
             */
            original_bytes?: number;
            /** @description The blocks of an MCP result, as the server sent them. */
            content?: components["schemas"]["ContentBlock"][];
            structured_content?: components["schemas"]["StructuredContent"];
        };
        /** @description One tool as a provider wants it. */
        ToolSchema: {
            /** @description Its key. */
            id: string;
            /** @description What it does, for the model. */
            description: string;
            parameters: components["schemas"]["JsonSchema"];
            /** @description Only for providers with a strict mode: whether the parameters are in its form. Members that may be absent are then required and may be null; leave the nulls out when the tool is run. */
            strict?: boolean;
        };
        /** @description Every available tool. */
        ToolSchemaList: components["schemas"]["ToolSchema"][];
        /** @description Last frame; empty. */
        ToolStreamEnd: {
            [key: string]: unknown;
        };
        /** @description The run was refused. */
        ToolStreamError: {
            /** @description An error code. */
            code: string;
            /** @description For people. */
            message: string;
        };
        /** @description The run was not done; the same answer as the 409 of the plain run. */
        ToolStreamNeedsConfirmation: {
            /** @description The error code. */
            code: string;
            /** @description For people. */
            message: string;
            details: components["schemas"]["ToolNeedsConfirmationDetails"];
        };
        /** @description First frame. */
        ToolStreamStart: {
            /**
             * @description Always `run`.
             * @enum {string}
             */
            job: "run";
            /** @description The tool. */
            name: string;
        };
        /** @description Topics that could not be read, each with the reason. They have no token. */
        UnavailableTopics: {
            [key: string]: string;
        };
        /** @description What to change, and the revision it is meant for. */
        UpdateTodoBody: {
            /**
             * Format: int64
             * @description The revision of the todo that the caller has seen.
             */
            revision: number;
            /** @description What is to be done, in a line. */
            title?: string;
            /** @description The rest of what there is to say. */
            body?: string;
            state?: components["schemas"]["TodoState"];
            /**
             * Format: int32
             * @description 0 is the most urgent, 4 the least.
             */
            priority?: number;
            /** @description Order among todos of one priority, smaller first. */
            rank?: number;
            /** @description All of them, in place of the ones before. */
            tags?: components["schemas"]["TodoTag"][];
            /** @description Absolute path of the working folder it moves to. */
            cwd?: string;
        };
        /** @description One entry to write. */
        UpsertMcpServerBody: {
            /** @description A live session. */
            session_id: string;
            /** @description From `createMcpWriteIntent`, for this op and this layer. */
            nonce: string;
            scope?: components["schemas"]["SettingsLayer"];
            /** @description The `mcp_servers` hash the caller last read. For a file that does not exist yet: the hash of an empty list. */
            expect_hash: string;
            server: components["schemas"]["McpServerEntry"];
        };
        /** @description Versions and capabilities, for clients that adapt. */
        Version: {
            /** @description Version of this contract. */
            api_version: string;
            /** @description Version of the program. */
            build_version: string;
            /**
             * Format: int32
             * @description Version of the session behaviour, counted up with each change a client must know.
             */
            session_protocol_version: number;
            /** @description The one realm this daemon acts in, or null. */
            pinned_realm: string | null;
            /** @description What this build knows. */
            capabilities: components["schemas"]["Capability"][];
        };
        /** @description One workflow, in short. */
        Workflow: {
            /** @description 1 to 64 letters, digits, underscores and hyphens; `runs` is taken. */
            name: string;
            /** @description What it is for. Empty when nobody said. */
            summary: string;
            /** @description To find it by. */
            labels: string[];
            /**
             * Format: int32
             * @description Number of its steps.
             */
            step_count: number;
            /** @description Its first step. */
            entry_point: string;
            /** @description In their order. */
            steps: components["schemas"]["WorkflowStepName"][];
            /** @description Names of its inputs. */
            params: string[];
            /** @description Left out of the list unless asked for. */
            hidden: boolean;
            /** @description `global` or 24 lower-case hex digits. */
            realm: string;
            /**
             * Format: date-time
             * @description When it was first stored.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its definition was last stored.
             */
            updated_at: string;
        };
        /** @description A workflow after what was asked for. */
        WorkflowAnswer: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
            workflow: components["schemas"]["Workflow"];
            definition: components["schemas"]["WorkflowDefinition"];
            /** @description Opaque; another one after every edit, and none comes twice. Told by a write, and where it is asked for. */
            revision?: string;
        };
        /** @description What a workflow does: calls of tools, one after another. In the texts of `params`, `{{inputs.NAME}}` stands for an input and `{{steps.ID.output}}`, `{{steps.ID.structured_content}}` or `{{steps.ID.content}}` for what an earlier step came to; members and items of a value follow behind dots. A text that is one reference and nothing else becomes the value itself, whatever its type; within other text it becomes text, JSON where it is none. `\{{` is two braces. At most 131,072 characters of JSON in all. */
        WorkflowDefinition: {
            /** @description What it is for, in a line. */
            summary?: string;
            /** @description To find it by. */
            labels?: string[];
            inputs?: components["schemas"]["WorkflowInputMap"];
            defaults?: components["schemas"]["WorkflowValues"];
            /** @description In the order in which they run. */
            steps: components["schemas"]["WorkflowStep"][];
        };
        /** @description The workflow is gone. */
        WorkflowDeleted: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
        };
        /** @description One input. */
        WorkflowInput: {
            /**
             * @description What its value has to be. Left out, it may be anything.
             * @enum {string}
             */
            type?: "string" | "number" | "integer" | "boolean" | "array" | "object";
            /** @description For the one who runs it. */
            description?: string;
        };
        /** @description The inputs by name: a letter, then letters, digits, underscores and hyphens, 64 in all. One that has no default has to be given. */
        WorkflowInputMap: {
            [key: string]: components["schemas"]["WorkflowInput"];
        };
        /** @description A window on the workflows. */
        WorkflowList: {
            /** @description By name. */
            items: components["schemas"]["Workflow"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description One run of a workflow. */
        WorkflowRun: {
            /** @description Opaque; a client may rely on the prefix `wfrun_` alone. */
            run_id: string;
            /** @description The workflow, which may be another one by now, or gone. */
            workflow_name: string;
            /** @description The session it runs in. */
            session_id: string;
            /** @description The working folder of the session. */
            cwd: string;
            /** @description The install of the session. Absent when there is none. */
            config_dir?: string;
            /** @description `global` or 24 lower-case hex digits. */
            realm: string;
            /**
             * @description `running` goes on, also while it waits for a person; the others are final.
             * @enum {string}
             */
            status: "running" | "completed" | "failed" | "cancelled";
            /**
             * Format: date-time
             * @description When it began.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When it was over. Absent before.
             */
            finished_at?: string;
            /** @description The step that is under way. Absent once it is over. */
            current_step?: string;
            /**
             * Format: int32
             * @description How many steps have ended.
             */
            current_idx: number;
            /**
             * Format: int32
             * @description How many there are.
             */
            total_steps: number;
            /** @description The last step that ended. Absent before the first has. */
            last_step?: string;
            /** @description Why it failed. Absent unless it did. */
            error?: string;
        };
        /** @description The run goes on in the background. */
        WorkflowRunAccepted: {
            /** @description The job that works on it; its result is the run, whatever it came to. */
            job_id: string;
            /** @description The session it runs in. */
            session_id: string;
            /** @description Names the run. */
            run_id: string;
        };
        /** @description A workflow run. */
        WorkflowRunAnswer: {
            run: components["schemas"]["WorkflowRunDetail"];
        };
        /** @description One run of a workflow, step by step. */
        WorkflowRunDetail: {
            /** @description Opaque; a client may rely on the prefix `wfrun_` alone. */
            run_id: string;
            /** @description The workflow, which may be another one by now, or gone. */
            workflow_name: string;
            /** @description The session it runs in. */
            session_id: string;
            /** @description The working folder of the session. */
            cwd: string;
            /** @description The install of the session. Absent when there is none. */
            config_dir?: string;
            /** @description `global` or 24 lower-case hex digits. */
            realm: string;
            /**
             * @description `running` goes on, also while it waits for a person; the others are final.
             * @enum {string}
             */
            status: "running" | "completed" | "failed" | "cancelled";
            /**
             * Format: date-time
             * @description When it began.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When it was over. Absent before.
             */
            finished_at?: string;
            /** @description The step that is under way. Absent once it is over. */
            current_step?: string;
            /**
             * Format: int32
             * @description How many steps have ended.
             */
            current_idx: number;
            /**
             * Format: int32
             * @description How many there are.
             */
            total_steps: number;
            /** @description The last step that ended. Absent before the first has. */
            last_step?: string;
            /** @description Why it failed. Absent unless it did. */
            error?: string;
            /** @description The steps that have ended. */
            steps: components["schemas"]["WorkflowRunStep"][];
        };
        /** @description A window on the runs the caller may see. */
        WorkflowRunList: {
            /** @description Newest first. */
            items: components["schemas"]["WorkflowRun"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description What a step came to. */
        WorkflowRunStep: {
            /** @description The step. */
            step_id: string;
            /** @description The tool it called. */
            tool: string;
            /** @description False for a tool that failed or was not allowed to run. */
            success: boolean;
            /** @description The beginning of the output, at most 1,000 characters. */
            output: string;
            /** @description True where the output goes on. Absent otherwise. */
            truncated?: boolean;
            /** @description Of a result that is an error, or of a call that was refused. */
            error_code?: string;
            /**
             * Format: date-time
             * @description When it began.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When it ended.
             */
            finished_at: string;
        };
        /** @description One call of a tool. */
        WorkflowStep: {
            /** @description A letter, then letters, digits, underscores and hyphens, 64 in all; its own among the steps. */
            id: string;
            /** @description Name of the tool list of the session. */
            tool: string;
            params?: components["schemas"]["ToolParams"];
        };
        /** @description What a step is called, and what it calls. */
        WorkflowStepName: {
            /** @description Of the step. */
            id: string;
            /** @description Of the session that runs it. */
            tool: string;
        };
        /** @description Values of inputs, by name. */
        WorkflowValues: {
            [key: string]: unknown;
        };
        /** @description Every JSON error of the workspaces family, the older generation of the API. */
        WorkspaceApiError: {
            /** @description Always null: nothing was done. */
            data: string | null;
            /** @description At least one. */
            errors: components["schemas"]["WorkspaceErrorItem"][];
            /** @description Always false. */
            success: boolean;
        };
        /** @description One error of the workspaces family. */
        WorkspaceErrorItem: {
            /** @description Upper case. An open set; errors.yaml explains each. */
            code: string;
            /** @description For people. It may name the workspace or the provider that was asked for, cut at 64 characters. */
            message: string;
        };
        /** @description One tool, where it comes from and whether it can be used. */
        WorkspaceTool: {
            /** @description Its key. */
            id: string;
            /** @description What it does. */
            description: string;
            /** @description Where it comes from. */
            source: string;
            /** @description `core`, or the name of the server. */
            sourceName: string;
            /** @description What it touches. */
            category: string;
            /** @description Settings allow it. */
            enabled: boolean;
            /** @description Whether it can be used now. */
            status: string;
            /** @description It can run in the background. */
            asyncCapable: boolean;
            /** @description How a background result comes back. */
            wakePolicy: string;
            /** @description Name of the permission it needs, or null. */
            permissionKey: string | null;
        };
        /** @description Every tool of the workspace. */
        WorkspaceToolList: components["schemas"]["WorkspaceTool"][];
    };
    responses: {
        /** @description The request was refused before anything was done. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The request or its realm was refused before anything was done; the gate stays. */
        BadRequestApproval: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The request was refused before anything was done, or the tool needs a permission it was not given. */
        BadRequestMutation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The request was refused before anything was done; this route has no realm. */
        BadRequestNoRealm: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The request or its realm was refused before anything was done. */
        BadRequestRealm: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The working directory does not exist. */
        CwdNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The caller may not reach the daemon this way. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The caller may not reach the daemon this way, or only a person may do this. */
        ForbiddenHumanOnly: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The session does not wait for this. */
        GateConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Something unforeseen happened; the log has it under the request id. */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The path exists and has other methods. */
        MethodNotAllowed: {
            headers: {
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description There is no such thing for this caller. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The body is over the limit. */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Too many requests. With `Retry-After` from the limiter of the edge; without it from the reconnect interval of a session, which says the wait in its message. */
        RateLimited: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description It is not known yet which realms the login serves. Nothing was done. */
        RestrictionUnknown: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Somebody else changed it first; nothing was written. */
        RevisionConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The tool was not run: a gate asks for confirmation, or the turn slot is taken. */
        RunConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The tool was not run: a gate asks for confirmation. */
        RunNeedsConfirmation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Somebody else changed the list first; nothing was written. */
        ServerListConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The session is live in another daemon; nothing was changed. */
        SessionHeld: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description There is no such session for this caller: unknown, closed, of another realm or account, all answered alike. */
        SessionNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Nothing was run: the turn slot is taken. */
        SlotTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Somebody else changed the todo first; nothing was written. */
        TodoConflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description There is no such tool. */
        ToolNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description There is no such tool, or no such thing for this caller. */
        ToolOrTargetNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Too busy right now. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Too busy right now, or it is not known yet which realms the login serves. Nothing was done. */
        UnavailableOrRestricted: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description There is no such session for this caller (unknown, closed, of another realm or account), or no workflow of that name in its realm. */
        WorkflowOrSessionNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The workspace, the provider or the request was refused. */
        WorkspaceBadProvider: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
        /** @description The workspace or the request was refused. */
        WorkspaceBadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
        /** @description The request was refused before anything was done. */
        WorkspaceEdgeBadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
        /** @description The caller may not reach the daemon this way. */
        WorkspaceForbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
        /** @description Something unforeseen happened. */
        WorkspaceInternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
        /** @description The path exists and has other methods. */
        WorkspaceMethodNotAllowed: {
            headers: {
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
        /** @description There is no such path. */
        WorkspacePathNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
        /** @description The body is over the limit. */
        WorkspacePayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
        /** @description Too many requests. */
        WorkspaceRateLimited: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
        /** @description Too busy right now. */
        WorkspaceUnavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WorkspaceApiError"];
            };
        };
    };
    parameters: {
        /** @description Name of an agent definition. */
        AgentNamePath: string;
        /** @description Name of a tool, as a session lists it, or `mcp:{server}:{tool}`. */
        ApprovalToolPath: string;
        /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
        ConfigDir: string;
        /** @description The same as the body member. Sending both with different values is 400. */
        ConfirmQuery: boolean;
        /** @description The same as the body member. Sending both with different values is 400. */
        ConfirmTokenQuery: string;
        /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
        Container: string;
        /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
        Cwd: string;
        /** @description Directory scope of the run; default `home`. */
        DirScopeHeader: components["schemas"]["DirScope"];
        /** @description Size of a window. 0, like leaving it out, asks for everything. */
        GateLimit: number;
        /** @description True: erase the record too. */
        HardQuery: boolean;
        /** @description Hidden workflows too. */
        IncludeHidden: boolean;
        /** @description The revision too. */
        IncludeRevision: boolean;
        /** @description Id of a job. */
        JobIdPath: string;
        /** @description Size of a window. 0, like leaving it out, asks for everything. */
        Limit: number;
        /** @description A model of that provider, for example `gpt-4o`. Free text. */
        ModelQuery: string;
        /** @description Which window, counted from 1. */
        Page: number;
        /** @description A model provider, for example `openai` or `anthropic`. */
        ProviderQuery: string;
        /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
        RealmHeader: string;
        /** @description The same as the header, read only when the header is absent or empty. */
        RealmQuery: string;
        /** @description Only the resources of exactly this name. */
        ResourceNameQuery: string;
        /** @description An agent by name. Left out, the one of the session. */
        RuleAgentQuery: string;
        /** @description A tool by the name it is run by. Left out, any tool. */
        RuleToolQuery: string;
        /** @description Id of a workflow run. */
        RunIdPath: string;
        /** @description Id of a session. */
        SessionIdPath: string;
        /** @description A live session. */
        SessionIdQuery: string;
        /** @description Archived todos too. */
        TodoAll: boolean;
        /** @description Id of a todo. */
        TodoIdPath: string;
        /** @description Only todos that are neither done nor dropped. */
        TodoOpenOnly: boolean;
        /** @description The order: by priority, rank and number, or the last closed first. */
        TodoSort: "default" | "closed_at";
        /** @description Only todos in one of these states, separated by commas. */
        TodoStates: components["schemas"]["TodoState"][];
        /** @description Only todos that have all of these tags, separated by commas. */
        TodoTags: components["schemas"]["TodoTag"][];
        /** @description Only todos with this text in title, body or `#` and number, whatever the case. */
        TodoText: string;
        /** @description Tool mode of the run. */
        ToolModeHeader: components["schemas"]["ToolMode"];
        /** @description Name of a tool. */
        ToolNamePath: string;
        /** @description The same as the body member. Sending both with different values is 400. */
        TurnIdQuery: string;
        /** @description Name of a workflow. */
        WorkflowNamePath: string;
        /** @description Id of a workspace, with or without the prefix `ws_`. */
        WorkspaceIdPath: string;
    };
    requestBodies: never;
    headers: {
        /** @description The methods this path has. */
        Allow: string;
        /** @description Seconds to wait before the next try. */
        RetryAfter: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenapiDocument"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    getOpenapiYaml: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": string;
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    getAuthStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The login. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthStatus"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["Limit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    createSession: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateSessionBody"];
            };
        };
        responses: {
            /** @description The session is open. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionCreated"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["SessionHeld"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["CwdNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    listSessionCwds: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folders. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionCwds"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getSession: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionDetail"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    deleteSession: {
        parameters: {
            query?: {
                /** @description True: erase the record too. */
                hard?: components["parameters"]["HardQuery"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionDeleted"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["SessionHeld"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    renameSession: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenameSessionBody"];
            };
        };
        responses: {
            /** @description Renamed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRenamed"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["SessionHeld"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    closeSession: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Closed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionClosed"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["SessionHeld"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getSessionState: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionState"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    cancelSession: {
        parameters: {
            query?: {
                /** @description The same as the body member. Sending both with different values is 400. */
                turn_id?: components["parameters"]["TurnIdQuery"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelSessionBody"];
            };
        };
        responses: {
            /** @description Told to stop, if anything ran. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionCancelled"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    setSessionYolo: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetSessionYoloBody"];
            };
        };
        responses: {
            /** @description Set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionYolo"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getSessionApproval: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The standing answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionApproval"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    setApprovalRule: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
                /** @description Name of a tool, as a session lists it, or `mcp:{server}:{tool}`. */
                tool: components["parameters"]["ApprovalToolPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetApprovalRuleBody"];
            };
        };
        responses: {
            /** @description Set; these are all rules now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalRuleList"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ToolOrTargetNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    deleteApprovalRule: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
                /** @description Name of a tool, as a session lists it, or `mcp:{server}:{tool}`. */
                tool: components["parameters"]["ApprovalToolPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Forgotten; these are the rules that are left. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalRuleList"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    listGates: {
        parameters: {
            query?: {
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["GateLimit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the gates. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateList"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    answerGate: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerGateBody"];
            };
        };
        responses: {
            /** @description Answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateResolved"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["GateConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    confirmGate: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmGateBody"];
            };
        };
        responses: {
            /** @description Decided. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateResolved"];
                };
            };
            400: components["responses"]["BadRequestApproval"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["GateConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    listMcpServers: {
        parameters: {
            query: {
                /** @description A live session. */
                session_id: components["parameters"]["SessionIdQuery"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerList"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    upsertMcpServer: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpsertMcpServerBody"];
            };
        };
        responses: {
            /** @description Written and applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpWriteResult"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["ServerListConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    deleteMcpServer: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteMcpServerBody"];
            };
        };
        responses: {
            /** @description Removed and applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpWriteResult"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["ServerListConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    setMcpServerEnabled: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetMcpServerEnabledBody"];
            };
        };
        responses: {
            /** @description Written and applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpWriteResult"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["ServerListConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    previewMcpImport: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewMcpImportBody"];
            };
        };
        responses: {
            /** @description The entries of the document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpImportPreview"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    importMcpServers: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportMcpServersBody"];
            };
        };
        responses: {
            /** @description Written, disabled, and applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpImportResult"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["ServerListConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    createMcpWriteIntent: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMcpWriteIntentBody"];
            };
        };
        responses: {
            /** @description The nonce. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpWriteIntent"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    testMcpServer: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestMcpServerBody"];
            };
        };
        responses: {
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["ForbiddenHumanOnly"];
            404: components["responses"]["SessionNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    reconnectMcp: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReconnectMcpBody"];
            };
        };
        responses: {
            /** @description Applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpReconnectResult"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    listTools: {
        parameters: {
            query?: {
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["Limit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the catalogue. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    listReadOnlyTools: {
        parameters: {
            query?: {
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["Limit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the read-only tools. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    getTool: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of a tool. */
                name: components["parameters"]["ToolNamePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ToolNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    listSessionTools: {
        parameters: {
            query?: {
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["Limit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the tools. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionToolList"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSessionMcpTools: {
        parameters: {
            query?: {
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["Limit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the MCP tools. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionToolList"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runTool: {
        parameters: {
            query?: {
                /** @description The same as the body member. Sending both with different values is 400. */
                confirm?: components["parameters"]["ConfirmQuery"];
                /** @description The same as the body member. Sending both with different values is 400. */
                confirm_token?: components["parameters"]["ConfirmTokenQuery"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Tool mode of the run. */
                "X-Hoody-Tool-Mode"?: components["parameters"]["ToolModeHeader"];
                /** @description Directory scope of the run; default `home`. */
                "X-Hoody-Dir-Scope"?: components["parameters"]["DirScopeHeader"];
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of a tool. */
                name: components["parameters"]["ToolNamePath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunToolBody"];
            };
        };
        responses: {
            /** @description What the tool answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            400: components["responses"]["BadRequestMutation"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ToolOrTargetNotFound"];
            409: components["responses"]["RunNeedsConfirmation"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    runToolAsync: {
        parameters: {
            query?: {
                /** @description The same as the body member. Sending both with different values is 400. */
                confirm?: components["parameters"]["ConfirmQuery"];
                /** @description The same as the body member. Sending both with different values is 400. */
                confirm_token?: components["parameters"]["ConfirmTokenQuery"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Tool mode of the run. */
                "X-Hoody-Tool-Mode"?: components["parameters"]["ToolModeHeader"];
                /** @description Directory scope of the run; default `home`. */
                "X-Hoody-Dir-Scope"?: components["parameters"]["DirScopeHeader"];
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of a tool. */
                name: components["parameters"]["ToolNamePath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunToolBody"];
            };
        };
        responses: {
            /** @description The run goes on in the background. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobAccepted"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    streamTool: {
        parameters: {
            query?: {
                /** @description The same as the body member. Sending both with different values is 400. */
                confirm?: components["parameters"]["ConfirmQuery"];
                /** @description The same as the body member. Sending both with different values is 400. */
                confirm_token?: components["parameters"]["ConfirmTokenQuery"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Tool mode of the run. */
                "X-Hoody-Tool-Mode"?: components["parameters"]["ToolModeHeader"];
                /** @description Directory scope of the run; default `home`. */
                "X-Hoody-Dir-Scope"?: components["parameters"]["DirScopeHeader"];
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of a tool. */
                name: components["parameters"]["ToolNamePath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunToolBody"];
            };
        };
        responses: {
            /** @description The frames; their payloads are under x-sse. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runSessionTool: {
        parameters: {
            query?: {
                /** @description The same as the body member. Sending both with different values is 400. */
                confirm?: components["parameters"]["ConfirmQuery"];
                /** @description The same as the body member. Sending both with different values is 400. */
                confirm_token?: components["parameters"]["ConfirmTokenQuery"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
                /** @description Name of a tool. */
                name: components["parameters"]["ToolNamePath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunToolBody"];
            };
        };
        responses: {
            /** @description What the tool answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ToolOrTargetNotFound"];
            409: components["responses"]["RunConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
        };
    };
    getJob: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a job. */
                id: components["parameters"]["JobIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteJob: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a job. */
                id: components["parameters"]["JobIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Canceled or removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDeleted"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getJobResult: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a job. */
                id: components["parameters"]["JobIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcome, or how far the job is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobOutcome"];
                };
            };
            400: components["responses"]["BadRequestNoRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTodos: {
        parameters: {
            query?: {
                /** @description Only todos in one of these states, separated by commas. */
                states?: components["parameters"]["TodoStates"];
                /** @description Only todos that have all of these tags, separated by commas. */
                tags?: components["parameters"]["TodoTags"];
                /** @description Only todos with this text in title, body or `#` and number, whatever the case. */
                query?: components["parameters"]["TodoText"];
                /** @description Only todos that are neither done nor dropped. */
                open_only?: components["parameters"]["TodoOpenOnly"];
                /** @description Archived todos too. */
                all?: components["parameters"]["TodoAll"];
                /** @description The order: by priority, rank and number, or the last closed first. */
                sort?: components["parameters"]["TodoSort"];
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["Limit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the todos. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoList"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    createTodo: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTodoBody"];
            };
        };
        responses: {
            /** @description The todo is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["CwdNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getTodosRevision: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodosRevision"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    purgeTodos: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many were erased. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodosPurged"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getTodo: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a todo. */
                id: components["parameters"]["TodoIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The todo. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoDetail"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    updateTodo: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a todo. */
                id: components["parameters"]["TodoIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateTodoBody"];
            };
        };
        responses: {
            /** @description The todo as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["TodoConflict"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["CwdNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    claimTodo: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a todo. */
                id: components["parameters"]["TodoIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimTodoBody"];
            };
        };
        responses: {
            /** @description The todo as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["TodoConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    releaseTodo: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a todo. */
                id: components["parameters"]["TodoIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReleaseTodoBody"];
            };
        };
        responses: {
            /** @description The todo as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["TodoConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    createTodoComment: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a todo. */
                id: components["parameters"]["TodoIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentTodoBody"];
            };
        };
        responses: {
            /** @description The comment is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    snoozeTodo: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a todo. */
                id: components["parameters"]["TodoIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnoozeTodoBody"];
            };
        };
        responses: {
            /** @description The todo as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["TodoConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    archiveTodo: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a todo. */
                id: components["parameters"]["TodoIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArchiveTodoBody"];
            };
        };
        responses: {
            /** @description The todo as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["TodoConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    listWorkflows: {
        parameters: {
            query?: {
                /** @description Hidden workflows too. */
                include_hidden?: components["parameters"]["IncludeHidden"];
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["Limit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the workflows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowList"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    listWorkflowRuns: {
        parameters: {
            query?: {
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["Limit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowRunList"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getWorkflowRun: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a workflow run. */
                run_id: components["parameters"]["RunIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowRunAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    cancelWorkflowRun: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a workflow run. */
                run_id: components["parameters"]["RunIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowRunAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    runSessionWorkflow: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
                /** @description Name of a workflow. */
                name: components["parameters"]["WorkflowNamePath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunWorkflowBody"];
            };
        };
        responses: {
            /** @description The run goes on in the background. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowRunAccepted"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WorkflowOrSessionNotFound"];
            409: components["responses"]["SlotTaken"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getWorkflow: {
        parameters: {
            query?: {
                /** @description The revision too. */
                include_revision?: components["parameters"]["IncludeRevision"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of a workflow. */
                name: components["parameters"]["WorkflowNamePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workflow. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    setWorkflow: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of a workflow. */
                name: components["parameters"]["WorkflowNamePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetWorkflowBody"];
            };
        };
        responses: {
            /** @description The workflow as it is now, with its revision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    deleteWorkflow: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of a workflow. */
                name: components["parameters"]["WorkflowNamePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowDeleted"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    hideWorkflow: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of a workflow. */
                name: components["parameters"]["WorkflowNamePath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["HideWorkflowBody"];
            };
        };
        responses: {
            /** @description The workflow as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description Which window, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description Size of a window. 0, like leaving it out, asks for everything. */
                limit?: components["parameters"]["Limit"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A window on the definitions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    createAgent: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAgentBody"];
            };
        };
        responses: {
            /** @description The definition is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    deleteAgent: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of an agent definition. */
                name: components["parameters"]["AgentNamePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentDeleted"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getAgentSource: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of an agent definition. */
                name: components["parameters"]["AgentNamePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text and its revision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentSource"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    setAgentSource: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of an agent definition. */
                name: components["parameters"]["AgentNamePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetAgentSourceBody"];
            };
        };
        responses: {
            /** @description The definition as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    copyAgent: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of an agent definition. */
                name: components["parameters"]["AgentNamePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NameAgentBody"];
            };
        };
        responses: {
            /** @description The definition under the new name. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    renameAgent: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of an agent definition. */
                name: components["parameters"]["AgentNamePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NameAgentBody"];
            };
        };
        responses: {
            /** @description The definition under the new name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    setAgentModel: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of an agent definition. */
                name: components["parameters"]["AgentNamePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetAgentModelBody"];
            };
        };
        responses: {
            /** @description The definition as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    setAgentTools: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of an agent definition. */
                name: components["parameters"]["AgentNamePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetAgentToolsBody"];
            };
        };
        responses: {
            /** @description The definition as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    setAgentTurns: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Name of an agent definition. */
                name: components["parameters"]["AgentNamePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetAgentTurnsBody"];
            };
        };
        responses: {
            /** @description The definition as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAnswer"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getHookRules: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookRules"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    setHookRules: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetHookRulesBody"];
            };
        };
        responses: {
            /** @description Written and applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookRulesWritten"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    createHookWriteIntent: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateHookWriteIntentBody"];
            };
        };
        responses: {
            /** @description The nonce. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookWriteIntent"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    listApplicableRules: {
        parameters: {
            query?: {
                /** @description An agent by name. Left out, the one of the session. */
                agent?: components["parameters"]["RuleAgentQuery"];
                /** @description A tool by the name it is run by. Left out, any tool. */
                tool?: components["parameters"]["RuleToolQuery"];
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description A remote container; absent means this machine. This daemon serves its own machine only, so any value is refused with 400. */
                "X-Hoody-Container"?: components["parameters"]["Container"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path: {
                /** @description Id of a session. */
                id: components["parameters"]["SessionIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules that cover it now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicableRules"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SessionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    getChanges: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens, at most one second old. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeTokens"];
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RestrictionUnknown"];
        };
    };
    streamChanges: {
        parameters: {
            query?: {
                /** @description The same as the header, read only when the header is absent or empty. */
                realm?: components["parameters"]["RealmQuery"];
            };
            header?: {
                /** @description Working directory of this request: an absolute path. It selects the project layer and the folder tools run in. */
                "X-Hoody-Cwd"?: components["parameters"]["Cwd"];
                /** @description Absolute path of the `.hoody` install this request reads or writes, in place of the user layer. */
                "X-Hoody-Config-Dir"?: components["parameters"]["ConfigDir"];
                /** @description Realm of this request: `global` or 24 lower-case hex digits; empty counts as absent. 400 `realm_scope_unsupported` where x-scopes lists no realm. */
                "X-Hoody-Realm"?: components["parameters"]["RealmHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The frames; their payloads are under x-sse. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequestRealm"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["UnavailableOrRestricted"];
        };
    };
    listMcpResources: {
        parameters: {
            query?: {
                /** @description Only the resources of exactly this name. */
                name?: components["parameters"]["ResourceNameQuery"];
            };
            header?: never;
            path: {
                /** @description Id of a workspace, with or without the prefix `ws_`. */
                workspaceID: components["parameters"]["WorkspaceIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Resources by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpResourceMap"];
                };
            };
            400: components["responses"]["WorkspaceBadRequest"];
            403: components["responses"]["WorkspaceForbidden"];
            429: components["responses"]["WorkspaceRateLimited"];
            500: components["responses"]["WorkspaceInternalError"];
            503: components["responses"]["WorkspaceUnavailable"];
        };
    };
    listToolSchemas: {
        parameters: {
            query: {
                /** @description A model provider, for example `openai` or `anthropic`. */
                provider: components["parameters"]["ProviderQuery"];
                /** @description A model of that provider, for example `gpt-4o`. Free text. */
                model: components["parameters"]["ModelQuery"];
            };
            header?: never;
            path: {
                /** @description Id of a workspace, with or without the prefix `ws_`. */
                workspaceID: components["parameters"]["WorkspaceIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tools. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolSchemaList"];
                };
            };
            400: components["responses"]["WorkspaceBadProvider"];
            403: components["responses"]["WorkspaceForbidden"];
            429: components["responses"]["WorkspaceRateLimited"];
            500: components["responses"]["WorkspaceInternalError"];
            503: components["responses"]["WorkspaceUnavailable"];
        };
    };
    listToolIds: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a workspace, with or without the prefix `ws_`. */
                workspaceID: components["parameters"]["WorkspaceIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ids. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolIdList"];
                };
            };
            400: components["responses"]["WorkspaceBadRequest"];
            403: components["responses"]["WorkspaceForbidden"];
            429: components["responses"]["WorkspaceRateLimited"];
            500: components["responses"]["WorkspaceInternalError"];
            503: components["responses"]["WorkspaceUnavailable"];
        };
    };
    listWorkspaceTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a workspace, with or without the prefix `ws_`. */
                workspaceID: components["parameters"]["WorkspaceIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tools. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceToolList"];
                };
            };
            400: components["responses"]["WorkspaceBadRequest"];
            403: components["responses"]["WorkspaceForbidden"];
            429: components["responses"]["WorkspaceRateLimited"];
            500: components["responses"]["WorkspaceInternalError"];
            503: components["responses"]["WorkspaceUnavailable"];
        };
    };
}

export type OperationId = keyof operations;
/** Codes of the agent family (openapi/errors.yaml). */
export type ErrorCodeInContract =
  | 'bad_request'
  | 'realm_scope_unsupported'
  | 'invalid_realm'
  | 'tool_mutation_refused'
  | 'approved_required'
  | 'forbidden'
  | 'human_only'
  | 'not_found'
  | 'tool_not_found'
  | 'method_not_allowed'
  | 'mcp_conflict'
  | 'tool_needs_confirmation'
  | 'turn_in_flight'
  | 'gate_parked'
  | 'todo_conflict'
  | 'revision_conflict'
  | 'session_held'
  | 'no_pending_gate'
  | 'stale_gate'
  | 'gate_type_mismatch'
  | 'gate_already_answered'
  | 'gate_already_resolved'
  | 'payload_too_large'
  | 'cwd_not_found'
  | 'rate_limited'
  | 'internal_error'
  | 'service_unavailable'
  | 'restriction_unknown';
/** Codes of the workspaces family. */
export type WorkspaceErrorCode =
  | 'INVALID_PROVIDER'
  | 'WORKSPACE_NOT_FOUND'
  | 'BAD_REQUEST'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'PAYLOAD_TOO_LARGE'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE';
