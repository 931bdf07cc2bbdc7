create table accounts (id uuid primary key, name text not null unique);
create table keys (
  id uuid primary key,
  account_id uuid not null references accounts,
  hash text not null unique,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create table repositories (
  id uuid primary key,
  account_id uuid not null references accounts,
  owner text not null,
  name text not null,
  unique (owner, name)
);
create table builds (
  id uuid primary key,
  account_id uuid not null references accounts,
  repository_id uuid not null references repositories,
  owner text not null,
  repo text not null,
  branch text not null,
  platform text not null,
  commit_sha text not null,
  content_hash text not null,
  size_bytes integer not null,
  content_type text not null,
  status text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (repository_id, branch, platform, commit_sha)
);
create table reservations (
  id uuid primary key,
  account_id uuid not null references accounts,
  build_id uuid not null references builds,
  token_hash text not null unique,
  expires_at timestamptz not null,
  finalized_at timestamptz
);
