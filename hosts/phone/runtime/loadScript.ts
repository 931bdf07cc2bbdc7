/** Runs a script of the page in the document of the app; fails with `missing` if the page has none. */
export const loadScript = async (url: string, missing: string): Promise<void> => {
  const answer = await fetch(url)
  // A host that doesn't have it sends a document.
  const isScript = answer.ok && /javascript/.test(answer.headers.get("content-type") ?? "")
  if (!isScript) throw new Error(missing)
  const script = document.createElement("script")
  script.textContent = await answer.text()
  document.head.append(script)
  script.remove()
}
