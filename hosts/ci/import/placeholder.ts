import type { Provenance } from "../settings/ciEnvironment.ts"

/**
 * A bundle for runs without a bundle: a page that says where they were recorded. It is the same for all runs of an
 * import, so that its bytes are sent once.
 */
export const placeholder = (
  tool: string,
  { branch, commit, owner, repo, source }: Provenance
): Uint8Array<ArrayBuffer> => {
  const lines = [
    `This run of ${tool} was imported from its results. The app itself was not uploaded, so there is nothing to replay.`,
    `Repository: ${owner}/${repo}`,
    ...(branch === undefined ? [] : [`Branch: ${branch}`]),
    ...(commit === undefined ? [] : [`Commit: ${commit}`]),
    ...(source === undefined ? [] : [`Recorded by: ${source}`])
  ]
  const script = `const page = document.createElement("div");
for (const line of ${JSON.stringify(lines)}) {
  const paragraph = document.createElement("p");
  paragraph.textContent = line;
  paragraph.style.cssText = "font: 16px/1.5 system-ui, sans-serif; margin: 1em; overflow-wrap: anywhere";
  page.append(paragraph);
}
(document.getElementById("root") ?? document.body).append(page);
`
  return new Uint8Array(Buffer.from(script))
}
