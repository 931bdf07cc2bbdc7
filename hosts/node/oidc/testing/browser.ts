/** A browser without a window: cookies of each host, redirects one by one. */
export const newBrowser = () => {
  const jars = new Map<string, Map<string, string>>()

  const ask = async (url: string, form?: Record<string, string>) => {
    const { host } = new URL(url)
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) })
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    const location = response.headers.get("location")
    const text = await response.text()
    return { status: response.status, text, location: location === null ? undefined : new URL(location, url).href }
  }

  /** The cookies of a URL's host, by name. */
  const cookies = (url: string) => jars.get(new URL(url).host) ?? new Map<string, string>()

  return { ask, cookies }
}

export type Browser = ReturnType<typeof newBrowser>

/**
 * Begins a sign-in at a host and goes through the provider's pages as this person, who agrees to everything. Answers the
 * URL by which the provider sends the browser back.
 */
export const throughProvider = async ({ ask }: Browser, hostUrl: string, person: string, to = "/"): Promise<string> => {
  let { location: url = "" } = await ask(`${hostUrl}/sign-in/oidc?${new URLSearchParams({ to })}`)
  while (!url.startsWith(hostUrl)) {
    const { location, text } = await ask(url)
    if (location !== undefined) {
      url = location
      continue
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1]
    if (prompt === undefined) throw new Error(`the provider asks something else at ${url}: ${text}`)
    const sent = await ask(url, { prompt, login: person, password: "any" })
    url = sent.location ?? ""
  }
  return url
}
