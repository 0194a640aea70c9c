CREATE FUNCTION public.events_stay() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'events are never changed'; END $$;
CREATE TABLE public.applied_migrations (
    name character varying(80) NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.assignments (
    id bigint NOT NULL,
    topic character varying(200) NOT NULL,
    user_id bigint NOT NULL,
    scale character varying(20) NOT NULL,
    official boolean NOT NULL,
    locked boolean NOT NULL,
    created bigint NOT NULL,
    snapping character varying(20) DEFAULT 'word'::character varying NOT NULL
);
CREATE TABLE public.audit (
    id bigint NOT NULL,
    at bigint NOT NULL,
    who character varying(80) NOT NULL,
    action character varying(40) NOT NULL,
    detail text NOT NULL
);
CREATE TABLE public.events (
    seq bigint NOT NULL,
    assignment_id bigint NOT NULL,
    doc text NOT NULL,
    user_id bigint NOT NULL,
    client character varying(80) NOT NULL,
    sequence bigint NOT NULL,
    fingerprint character varying(64) NOT NULL,
    kind character varying(20) NOT NULL,
    body text NOT NULL,
    at bigint NOT NULL,
    origin character varying(160) NOT NULL
);
CREATE TABLE public.pooled_documents (
    topic character varying(200) NOT NULL,
    doc text NOT NULL,
    place integer NOT NULL,
    fingerprint character varying(64) NOT NULL,
    parts text NOT NULL
);
CREATE TABLE public.sessions (
    token_hash character varying(64) NOT NULL,
    user_id bigint NOT NULL,
    csrf character varying(64) NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE public.settings (
    name character varying(80) NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.snapshots (
    assignment_id bigint NOT NULL,
    doc text NOT NULL,
    seq bigint NOT NULL,
    state text NOT NULL
);
CREATE TABLE public.users (
    id bigint NOT NULL,
    name character varying(80) NOT NULL,
    password_hash text NOT NULL,
    role character varying(20) NOT NULL,
    disabled boolean NOT NULL,
    created bigint NOT NULL,
    CONSTRAINT users_role_check CHECK (((role)::text = ANY (ARRAY[('assessor'::character varying)::text, ('organiser'::character varying)::text])))
);
INSERT INTO public.applied_migrations VALUES ('0001-accounts', 1794872983376);
INSERT INTO public.applied_migrations VALUES ('0002-pools', 1794872983491);
INSERT INTO public.applied_migrations VALUES ('0003-events', 1794872983541);
INSERT INTO public.applied_migrations VALUES ('0004-audit', 1794872983566);
INSERT INTO public.applied_migrations VALUES ('0005-events-are-append-only', 1794872983591);
INSERT INTO public.applied_migrations VALUES ('0006-snapping-of-pools', 1794872983612);
INSERT INTO public.applied_migrations VALUES ('0007-assignments', 1794903320279);
INSERT INTO public.assignments VALUES (1, '1', 1, '2006', false, true, 1794872973674, 'word');
INSERT INTO public.assignments VALUES (2, '1', 2, '2006', true, false, 1794872973688, 'sentence');
INSERT INTO public.assignments VALUES (3, '2', 1, '2005', false, true, 1794872973690, 'free');
INSERT INTO public.assignments VALUES (4, '2', 2, '2005', true, false, 1794872974038, 'free');
INSERT INTO public.audit VALUES (1, 1794872973634, 'command line', 'user added', 'anna (assessor)');
INSERT INTO public.audit VALUES (2, 1794872973648, 'command line', 'user added', 'ben (assessor)');
INSERT INTO public.audit VALUES (3, 1794872973649, 'command line', 'user added', 'carl (assessor)');
INSERT INTO public.audit VALUES (4, 1794872973651, 'command line', 'user added', 'olga (organiser)');
INSERT INTO public.audit VALUES (5, 1794872973684, 'olga', 'topic assigned', 'topic 1 to anna, scale 2006, snapping word: pool 1');
INSERT INTO public.audit VALUES (6, 1794872973689, 'olga', 'topic assigned', 'topic 1 to ben, scale 2006, snapping sentence: pool 2');
INSERT INTO public.audit VALUES (7, 1794872973691, 'olga', 'topic assigned', 'topic 2 to anna, scale 2005, snapping free: pool 3');
INSERT INTO public.audit VALUES (8, 1794872973986, 'olga', 'pool locked', 'pool 1: topic 1 of anna');
INSERT INTO public.audit VALUES (9, 1794872974021, 'olga', 'pool made official', 'pool 2: topic 1 of ben');
INSERT INTO public.audit VALUES (10, 1794872974079, 'olga', 'pool handed over', 'pool 3: topic 2 of anna to ben, with what was said so far: pool 4');
INSERT INTO public.audit VALUES (11, 1794872974101, 'olga', 'user disabled', 'carl');
INSERT INTO public.events VALUES (1, 1, 'apples', 1, '231cf2cdb38244bdbc1f4496f1086ebf', 0, 'cdceba60b971d81d0d916f8431d4caa6', 'show', '{"pooled": true}', 1794872973769, '1:231cf2cdb38244bdbc1f4496f1086ebf:0');
INSERT INTO public.events VALUES (2, 1, 'apples', 1, '231cf2cdb38244bdbc1f4496f1086ebf', 1, 'cdceba60b971d81d0d916f8431d4caa6', 'highlight', '{"spans": [[6, 17]]}', 1794872973769, '1:231cf2cdb38244bdbc1f4496f1086ebf:1');
INSERT INTO public.events VALUES (3, 1, 'apples', 1, '231cf2cdb38244bdbc1f4496f1086ebf', 2, 'cdceba60b971d81d0d916f8431d4caa6', 'highlight', '{"spans": [[40, 46]]}', 1794872973769, '1:231cf2cdb38244bdbc1f4496f1086ebf:2');
INSERT INTO public.events VALUES (4, 1, 'apples', 1, '231cf2cdb38244bdbc1f4496f1086ebf', 3, 'cdceba60b971d81d0d916f8431d4caa6', 'unhighlight', '{"spans": [[40, 42]]}', 1794872973769, '1:231cf2cdb38244bdbc1f4496f1086ebf:3');
INSERT INTO public.events VALUES (5, 1, 'apples', 1, '231cf2cdb38244bdbc1f4496f1086ebf', 4, 'cdceba60b971d81d0d916f8431d4caa6', 'note', '{"text": "ripe 🍏"}', 1794872973769, '1:231cf2cdb38244bdbc1f4496f1086ebf:4');
INSERT INTO public.events VALUES (6, 1, 'apples', 1, '24478e3e985f4ab5874ddcfd6f273b60', 0, 'cdceba60b971d81d0d916f8431d4caa6', 'bep', '{"position": 6}', 1794872973822, '1:24478e3e985f4ab5874ddcfd6f273b60:0');
INSERT INTO public.events VALUES (7, 1, 'apples', 1, '24478e3e985f4ab5874ddcfd6f273b60', 1, 'cdceba60b971d81d0d916f8431d4caa6', 'validate', '{}', 1794872973822, '1:24478e3e985f4ab5874ddcfd6f273b60:1');
INSERT INTO public.events VALUES (8, 1, 'pears', 1, '24478e3e985f4ab5874ddcfd6f273b60', 2, '7f159ce31f41d7a99095b7cc389d5e84', 'highlight', '{"spans": [[0, 5]]}', 1794872973822, '1:24478e3e985f4ab5874ddcfd6f273b60:2');
INSERT INTO public.events VALUES (9, 2, 'pears', 2, '0b03dedf514d4a5c8641da657da6636a', 0, '7f159ce31f41d7a99095b7cc389d5e84', 'validate', '{}', 1794872973923, '2:0b03dedf514d4a5c8641da657da6636a:0');
INSERT INTO public.events VALUES (10, 2, 'apples', 2, '0b03dedf514d4a5c8641da657da6636a', 1, 'cdceba60b971d81d0d916f8431d4caa6', 'highlight', '{"spans": [[0, 6]]}', 1794872973923, '2:0b03dedf514d4a5c8641da657da6636a:1');
INSERT INTO public.events VALUES (11, 3, 'plums', 1, 'dc49c5d35aec41d19f01125b9e1b0d8a', 0, 'b0e8c20f2c8531a9febd6070e2989f68', 'highlight', '{"spans": [[0, 5]]}', 1794872973966, '1:dc49c5d35aec41d19f01125b9e1b0d8a:0');
INSERT INTO public.events VALUES (12, 4, 'plums', 2, 'handed:3', 0, 'b0e8c20f2c8531a9febd6070e2989f68', 'highlight', '{"spans": [[0, 5]]}', 1794872974077, '2:handed:3:0');
INSERT INTO public.pooled_documents VALUES ('1', 'apples', 1, 'cdceba60b971d81d0d916f8431d4caa6', '[{"path": "/article[1]/sec[1]", "start": 6, "end": 45}, {"path": null, "start": 10, "end": 16}]');
INSERT INTO public.pooled_documents VALUES ('1', 'pears', 2, '7f159ce31f41d7a99095b7cc389d5e84', '[]');
INSERT INTO public.pooled_documents VALUES ('2', 'plums', 1, 'b0e8c20f2c8531a9febd6070e2989f68', '[]');
INSERT INTO public.sessions VALUES ('2c839781b16cc274527e9a90630b4827ad391c5215421f3daf7d55dc8481ee3b', 1, 'eRToVkf8zZ6zm7ZRNvSAVmxreGxRtAeESmjIwnRgNG8', 1794872974102, 1794916174102);
INSERT INTO public.settings VALUES ('fingerprint', '1dd5c40acc18e6e481c5ba04bb3de4b9');
INSERT INTO public.settings VALUES ('text_rule', 'xml-text-nodes');
INSERT INTO public.snapshots VALUES (1, 'apples', 5, '{"highlights": [[6, 17], [42, 46]], "bep": null, "grades": {}, "validated": false, "note": "ripe 🍏", "pooled_shown": true}');
INSERT INTO public.users VALUES (1, 'anna', '$argon2id$v=19$m=8,t=1,p=1$Bc9Hr7K9P4Xb/cRQ0+poMg$84mvn76yiZBqF48y3BQjrxxjMJcEJ/br02PSy04hfrI', 'assessor', false, 1794872973631);
INSERT INTO public.users VALUES (2, 'ben', '$argon2id$v=19$m=8,t=1,p=1$Bc9Hr7K9P4Xb/cRQ0+poMg$84mvn76yiZBqF48y3BQjrxxjMJcEJ/br02PSy04hfrI', 'assessor', false, 1794872973642);
INSERT INTO public.users VALUES (3, 'carl', '$argon2id$v=19$m=8,t=1,p=1$Bc9Hr7K9P4Xb/cRQ0+poMg$84mvn76yiZBqF48y3BQjrxxjMJcEJ/br02PSy04hfrI', 'assessor', true, 1794872973649);
INSERT INTO public.users VALUES (4, 'olga', '$argon2id$v=19$m=8,t=1,p=1$Bc9Hr7K9P4Xb/cRQ0+poMg$84mvn76yiZBqF48y3BQjrxxjMJcEJ/br02PSy04hfrI', 'organiser', false, 1794872973650);
ALTER TABLE ONLY public.applied_migrations
    ADD CONSTRAINT applied_migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_origin_key UNIQUE (origin);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.pooled_documents
    ADD CONSTRAINT pooled_documents_pkey PRIMARY KEY (topic, doc);
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT pools_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT pools_topic_user_id_key UNIQUE (topic, user_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (assignment_id, doc);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_name_key UNIQUE (name);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX events_of_a_document ON public.events USING btree (assignment_id, doc, seq);
CREATE INDEX ix_assignments_user_id ON public.assignments USING btree (user_id);
CREATE INDEX ix_sessions_user_id ON public.sessions USING btree (user_id);
CREATE UNIQUE INDEX one_official_assignment ON public.assignments USING btree (topic) WHERE (official = true);
CREATE TRIGGER events_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION public.events_stay();
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pool_id_fkey FOREIGN KEY (assignment_id) REFERENCES public.assignments(id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT pools_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
