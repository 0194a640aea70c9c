BEGIN TRANSACTION;
CREATE TABLE applied_migrations (
	name VARCHAR(80) NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (name)
);
INSERT INTO "applied_migrations" VALUES('0001-accounts',1794872973479);
INSERT INTO "applied_migrations" VALUES('0002-pools',1794872973556);
INSERT INTO "applied_migrations" VALUES('0003-events',1794872973567);
INSERT INTO "applied_migrations" VALUES('0004-audit',1794872973569);
INSERT INTO "applied_migrations" VALUES('0005-events-are-append-only',1794872973569);
INSERT INTO "applied_migrations" VALUES('0006-snapping-of-pools',1794872973570);
CREATE TABLE audit (
	id INTEGER NOT NULL,
	at BIGINT NOT NULL,
	who VARCHAR(80) NOT NULL,
	action VARCHAR(40) NOT NULL,
	detail TEXT NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,1794872973634,'command line','user added','anna (assessor)');
INSERT INTO "audit" VALUES(2,1794872973648,'command line','user added','ben (assessor)');
INSERT INTO "audit" VALUES(3,1794872973649,'command line','user added','carl (assessor)');
INSERT INTO "audit" VALUES(4,1794872973651,'command line','user added','olga (organiser)');
INSERT INTO "audit" VALUES(5,1794872973684,'olga','topic assigned','topic 1 to anna, scale 2006, snapping word: pool 1');
INSERT INTO "audit" VALUES(6,1794872973689,'olga','topic assigned','topic 1 to ben, scale 2006, snapping sentence: pool 2');
INSERT INTO "audit" VALUES(7,1794872973691,'olga','topic assigned','topic 2 to anna, scale 2005, snapping free: pool 3');
INSERT INTO "audit" VALUES(8,1794872973986,'olga','pool locked','pool 1: topic 1 of anna');
INSERT INTO "audit" VALUES(9,1794872974021,'olga','pool made official','pool 2: topic 1 of ben');
INSERT INTO "audit" VALUES(10,1794872974079,'olga','pool handed over','pool 3: topic 2 of anna to ben, with what was said so far: pool 4');
INSERT INTO "audit" VALUES(11,1794872974101,'olga','user disabled','carl');
CREATE TABLE events (
	seq INTEGER NOT NULL,
	pool_id INTEGER NOT NULL,
	doc TEXT NOT NULL,
	user_id INTEGER NOT NULL,
	client VARCHAR(80) NOT NULL,
	sequence BIGINT NOT NULL,
	fingerprint VARCHAR(64) NOT NULL,
	kind VARCHAR(20) NOT NULL,
	body TEXT NOT NULL,
	at BIGINT NOT NULL,
	origin VARCHAR(160) NOT NULL,
	PRIMARY KEY (seq),
	FOREIGN KEY(pool_id) REFERENCES pools (id),
	FOREIGN KEY(user_id) REFERENCES users (id),
	UNIQUE (origin)
);
INSERT INTO "events" VALUES(1,1,'apples',1,'231cf2cdb38244bdbc1f4496f1086ebf',0,'cdceba60b971d81d0d916f8431d4caa6','show','{"pooled": true}',1794872973769,'1:231cf2cdb38244bdbc1f4496f1086ebf:0');
INSERT INTO "events" VALUES(2,1,'apples',1,'231cf2cdb38244bdbc1f4496f1086ebf',1,'cdceba60b971d81d0d916f8431d4caa6','highlight','{"spans": [[6, 17]]}',1794872973769,'1:231cf2cdb38244bdbc1f4496f1086ebf:1');
INSERT INTO "events" VALUES(3,1,'apples',1,'231cf2cdb38244bdbc1f4496f1086ebf',2,'cdceba60b971d81d0d916f8431d4caa6','highlight','{"spans": [[40, 46]]}',1794872973769,'1:231cf2cdb38244bdbc1f4496f1086ebf:2');
INSERT INTO "events" VALUES(4,1,'apples',1,'231cf2cdb38244bdbc1f4496f1086ebf',3,'cdceba60b971d81d0d916f8431d4caa6','unhighlight','{"spans": [[40, 42]]}',1794872973769,'1:231cf2cdb38244bdbc1f4496f1086ebf:3');
INSERT INTO "events" VALUES(5,1,'apples',1,'231cf2cdb38244bdbc1f4496f1086ebf',4,'cdceba60b971d81d0d916f8431d4caa6','note','{"text": "ripe 🍏"}',1794872973769,'1:231cf2cdb38244bdbc1f4496f1086ebf:4');
INSERT INTO "events" VALUES(6,1,'apples',1,'24478e3e985f4ab5874ddcfd6f273b60',0,'cdceba60b971d81d0d916f8431d4caa6','bep','{"position": 6}',1794872973822,'1:24478e3e985f4ab5874ddcfd6f273b60:0');
INSERT INTO "events" VALUES(7,1,'apples',1,'24478e3e985f4ab5874ddcfd6f273b60',1,'cdceba60b971d81d0d916f8431d4caa6','validate','{}',1794872973822,'1:24478e3e985f4ab5874ddcfd6f273b60:1');
INSERT INTO "events" VALUES(8,1,'pears',1,'24478e3e985f4ab5874ddcfd6f273b60',2,'7f159ce31f41d7a99095b7cc389d5e84','highlight','{"spans": [[0, 5]]}',1794872973822,'1:24478e3e985f4ab5874ddcfd6f273b60:2');
INSERT INTO "events" VALUES(9,2,'pears',2,'0b03dedf514d4a5c8641da657da6636a',0,'7f159ce31f41d7a99095b7cc389d5e84','validate','{}',1794872973923,'2:0b03dedf514d4a5c8641da657da6636a:0');
INSERT INTO "events" VALUES(10,2,'apples',2,'0b03dedf514d4a5c8641da657da6636a',1,'cdceba60b971d81d0d916f8431d4caa6','highlight','{"spans": [[0, 6]]}',1794872973923,'2:0b03dedf514d4a5c8641da657da6636a:1');
INSERT INTO "events" VALUES(11,3,'plums',1,'dc49c5d35aec41d19f01125b9e1b0d8a',0,'b0e8c20f2c8531a9febd6070e2989f68','highlight','{"spans": [[0, 5]]}',1794872973966,'1:dc49c5d35aec41d19f01125b9e1b0d8a:0');
INSERT INTO "events" VALUES(12,4,'plums',2,'handed:3',0,'b0e8c20f2c8531a9febd6070e2989f68','highlight','{"spans": [[0, 5]]}',1794872974077,'2:handed:3:0');
CREATE TABLE pooled_documents (
	topic VARCHAR(200) NOT NULL,
	doc TEXT NOT NULL,
	place INTEGER NOT NULL,
	fingerprint VARCHAR(64) NOT NULL,
	parts TEXT NOT NULL,
	PRIMARY KEY (topic, doc)
);
INSERT INTO "pooled_documents" VALUES('1','apples',1,'cdceba60b971d81d0d916f8431d4caa6','[{"path": "/article[1]/sec[1]", "start": 6, "end": 45}, {"path": null, "start": 10, "end": 16}]');
INSERT INTO "pooled_documents" VALUES('1','pears',2,'7f159ce31f41d7a99095b7cc389d5e84','[]');
INSERT INTO "pooled_documents" VALUES('2','plums',1,'b0e8c20f2c8531a9febd6070e2989f68','[]');
CREATE TABLE pools (
	id INTEGER NOT NULL,
	topic VARCHAR(200) NOT NULL,
	user_id INTEGER NOT NULL,
	scale VARCHAR(20) NOT NULL,
	official BOOLEAN NOT NULL,
	locked BOOLEAN NOT NULL,
	created BIGINT NOT NULL, snapping VARCHAR(20) DEFAULT 'word' NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (topic, user_id),
	FOREIGN KEY(user_id) REFERENCES users (id)
);
INSERT INTO "pools" VALUES(1,'1',1,'2006',0,1,1794872973674,'word');
INSERT INTO "pools" VALUES(2,'1',2,'2006',1,0,1794872973688,'sentence');
INSERT INTO "pools" VALUES(3,'2',1,'2005',0,1,1794872973690,'free');
INSERT INTO "pools" VALUES(4,'2',2,'2005',1,0,1794872974038,'free');
CREATE TABLE sessions (
	token_hash VARCHAR(64) NOT NULL,
	user_id INTEGER NOT NULL,
	csrf VARCHAR(64) NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	PRIMARY KEY (token_hash),
	FOREIGN KEY(user_id) REFERENCES users (id)
);
INSERT INTO "sessions" VALUES('2c839781b16cc274527e9a90630b4827ad391c5215421f3daf7d55dc8481ee3b',1,'eRToVkf8zZ6zm7ZRNvSAVmxreGxRtAeESmjIwnRgNG8',1794872974102,1794916174102);
CREATE TABLE settings (
	name VARCHAR(80) NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (name)
);
INSERT INTO "settings" VALUES('fingerprint','1dd5c40acc18e6e481c5ba04bb3de4b9');
INSERT INTO "settings" VALUES('text_rule','xml-text-nodes');
CREATE TABLE snapshots (
	pool_id INTEGER NOT NULL,
	doc TEXT NOT NULL,
	seq BIGINT NOT NULL,
	state TEXT NOT NULL,
	PRIMARY KEY (pool_id, doc)
);
INSERT INTO "snapshots" VALUES(1,'apples',5,'{"highlights": [[6, 17], [42, 46]], "bep": null, "grades": {}, "validated": false, "note": "ripe 🍏", "pooled_shown": true}');
CREATE TABLE users (
	id INTEGER NOT NULL,
	name VARCHAR(80) NOT NULL,
	password_hash TEXT NOT NULL,
	role VARCHAR(20) NOT NULL CHECK (role IN ('assessor', 'organiser')),
	disabled BOOLEAN NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (name)
);
INSERT INTO "users" VALUES(1,'anna','$argon2id$v=19$m=8,t=1,p=1$Bc9Hr7K9P4Xb/cRQ0+poMg$84mvn76yiZBqF48y3BQjrxxjMJcEJ/br02PSy04hfrI','assessor',0,1794872973631);
INSERT INTO "users" VALUES(2,'ben','$argon2id$v=19$m=8,t=1,p=1$Bc9Hr7K9P4Xb/cRQ0+poMg$84mvn76yiZBqF48y3BQjrxxjMJcEJ/br02PSy04hfrI','assessor',0,1794872973642);
INSERT INTO "users" VALUES(3,'carl','$argon2id$v=19$m=8,t=1,p=1$Bc9Hr7K9P4Xb/cRQ0+poMg$84mvn76yiZBqF48y3BQjrxxjMJcEJ/br02PSy04hfrI','assessor',1,1794872973649);
INSERT INTO "users" VALUES(4,'olga','$argon2id$v=19$m=8,t=1,p=1$Bc9Hr7K9P4Xb/cRQ0+poMg$84mvn76yiZBqF48y3BQjrxxjMJcEJ/br02PSy04hfrI','organiser',0,1794872973650);
CREATE INDEX ix_sessions_user_id ON sessions (user_id);
CREATE INDEX ix_pools_user_id ON pools (user_id);
CREATE UNIQUE INDEX one_official_pool ON pools (topic) WHERE official = 1;
CREATE INDEX events_of_a_document ON events (pool_id, doc, seq);
CREATE TRIGGER events_stay_UPDATE BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_stay_DELETE BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
COMMIT;
