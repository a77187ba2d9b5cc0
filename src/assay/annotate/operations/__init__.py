"""What can be done with a study: functions of one transaction. They may run twice, and read no clock."""
