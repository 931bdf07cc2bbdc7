import { useState } from "react"
import { Platform, SafeAreaView, StyleSheet, useColorScheme, View } from "react-native"
import { useCatalog } from "./parts/catalog.js"
import { Pane } from "./components/Pane.jsx"
import { TabBar } from "./components/TabBar.jsx"
import { CounterScreen } from "./screens/CounterScreen.jsx"
import { SettingsScreen } from "./screens/SettingsScreen.jsx"
import { SlipScreen } from "./screens/SlipScreen.jsx"
import { SlipsScreen } from "./screens/SlipsScreen.jsx"
import { defaults, SettingsContext } from "./parts/settings.js"
import { palettes, ThemeContext } from "./parts/theme.js"

/** Three tabs that stay mounted, so that each keeps its own state, and one slip opened on top of the first. */
export const App = () => {
  const [tab, setTab] = useState("slips")
  const [openId, setOpenId] = useState(undefined)
  const [settings, setSettings] = useState(defaults)
  const catalog = useCatalog()
  const system = useColorScheme()

  const scheme = settings.appearance === "system" ? system : settings.appearance
  const theme = scheme === "dark" ? palettes.dark : palettes.light
  const change = (part) => setSettings((all) => ({ ...all, ...part }))
  const slip = catalog.slips.find(({ id }) => id === openId)

  const press = (next) => {
    setTab(next)
    setOpenId(undefined)
  }

  return (
    <ThemeContext.Provider value={theme}>
      <SettingsContext.Provider value={{ ...settings, change }}>
        <SafeAreaView style={[styles.window, { backgroundColor: theme.surface, colorScheme: theme.name }]}>
          <View style={[styles.stage, { backgroundColor: theme.ground }]}>
            <Pane active={tab === "slips" && slip === undefined}>
              <SlipsScreen catalog={catalog} onOpen={setOpenId} />
            </Pane>
            {slip !== undefined && (
              <Pane active={tab === "slips"}>
                <SlipScreen
                  slip={slip}
                  onBack={() => setOpenId(undefined)}
                  onMove={(status) => catalog.move(slip.id, status)}
                />
              </Pane>
            )}
            <Pane active={tab === "gate"}>
              <CounterScreen limit={catalog.harbour.gateLimit} />
            </Pane>
            <Pane active={tab === "settings"}>
              <SettingsScreen />
            </Pane>
          </View>
          <TabBar value={tab} onChange={press} />
        </SafeAreaView>
      </SettingsContext.Provider>
    </ThemeContext.Provider>
  )
}

const styles = StyleSheet.create({
  window: Platform.select({ web: { position: "fixed", top: 0, right: 0, bottom: 0, left: 0 }, default: { flex: 1 } }),
  stage: { flex: 1, overflow: "hidden" }
})
