import { Pressable, StyleSheet, Text, View } from "react-native"
import { useTheme } from "../parts/theme.js"

/** One of a few, all visible at once. `options` are `{ key, label }`. */
export const Choice = ({ name, options, value, onChange }) => {
  const theme = useTheme()
  return (
    <View
      accessibilityRole="radiogroup"
      accessibilityLabel={name}
      style={[styles.group, { backgroundColor: theme.sunken }]}
    >
      {options.map(({ key, label }) => {
        const checked = key === value
        return (
          <Pressable
            key={key}
            accessibilityRole="radio"
            accessibilityLabel={label}
            aria-checked={checked}
            onPress={() => onChange(key)}
            style={[styles.option, checked && { backgroundColor: theme.raised, boxShadow: theme.shadow }]}
          >
            <Text style={[styles.label, { color: checked ? theme.ink : theme.muted }]}>{label}</Text>
          </Pressable>
        )
      })}
    </View>
  )
}

const styles = StyleSheet.create({
  group: { flexDirection: "row", borderRadius: 14, padding: 4, gap: 2 },
  option: { flex: 1, minHeight: 38, borderRadius: 11, alignItems: "center", justifyContent: "center" },
  label: { fontSize: 14, fontWeight: "700" }
})
