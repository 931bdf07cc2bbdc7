import { Pressable, StyleSheet, Text, View } from "react-native"
import { useTheme } from "../parts/theme.js"
import { GateIcon, SettingsIcon, SlipsIcon } from "./icons.jsx"

const tabs = [
  { key: "slips", label: "Slips", Icon: SlipsIcon },
  { key: "gate", label: "Gate", Icon: GateIcon },
  { key: "settings", label: "Settings", Icon: SettingsIcon }
]

/** The row of tabs at the bottom; `onChange` gets the key of the pressed one. */
export const TabBar = ({ value, onChange }) => {
  const theme = useTheme()
  return (
    <View
      accessibilityRole="tablist"
      style={[styles.bar, { backgroundColor: theme.surface, borderTopColor: theme.line }]}
    >
      {tabs.map(({ key, label, Icon }) => {
        const selected = key === value
        const color = selected ? theme.accent : theme.muted
        return (
          <Pressable
            key={key}
            accessibilityRole="tab"
            accessibilityLabel={label}
            aria-selected={selected}
            testID={`tab-${key}`}
            onPress={() => onChange(key)}
            style={styles.tab}
          >
            <Icon color={color} />
            <Text style={[styles.label, { color }]}>{label}</Text>
          </Pressable>
        )
      })}
    </View>
  )
}

const styles = StyleSheet.create({
  bar: { flexDirection: "row", justifyContent: "center", borderTopWidth: 1, paddingBottom: 12 },
  tab: { flex: 1, maxWidth: 180, height: 62, alignItems: "center", justifyContent: "center", gap: 5 },
  label: { fontSize: 12, fontWeight: "600" }
})
